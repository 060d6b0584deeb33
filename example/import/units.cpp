#include "units.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace importer {

/// The cost of a declaration for a compiler, in rows. The declaration itself costs some rows.
static std::size_t work_of(const Declaration& of) {
  constexpr std::size_t own = 4;
  return own + of.rows.size() + of.values.size() / 4;
}

static std::size_t work_of(const Together& all) {
  std::size_t work = 0;
  for (const Declaration* each : all)
    work += work_of(*each);
  return work;
}

static std::size_t work_of(const std::vector<Together>& all) {
  std::size_t work = 0;
  for (const Together& each : all)
    work += work_of(each);
  return work;
}

std::size_t good_count(const std::vector<Together>& all) {
  constexpr std::size_t most_in_one = 6000;
  return std::max<std::size_t>(1, (work_of(all) + most_in_one - 1) / most_in_one);
}

/// For each border between two declarations, and for both ends: how often later declarations name
/// declarations at most `farthest` before it. Declarations further away are in another unit anyway.
static std::vector<std::size_t> crossings_of(
    const std::vector<Together>& all, std::size_t farthest) {
  std::map<const Declaration*, std::size_t> place;
  std::vector<std::ptrdiff_t> changes(all.size() + 2);
  for (std::size_t at = 0; at != all.size(); ++at) {
    for (const Declaration* each : all[at])
      place.emplace(each, at);
    for (const Declaration* each : all[at])
      for (const Declaration* need : each->needs()) {
        if (at - place.at(need) > farthest) continue;
        ++changes[place.at(need) + 1];
        --changes[at + 1];
      }
  }
  std::vector<std::size_t> crossings;
  std::ptrdiff_t open = 0;
  for (std::size_t border = 0; border <= all.size(); ++border)
    crossings.push_back(static_cast<std::size_t>(open += changes[border]));
  return crossings;
}

/// The first declarations of all units except the first. Each is at most a quarter of a unit away
/// from its position by equal work, at the border that the fewest names cross. A unit includes the
/// headers of the units that it names, and their headers. So a module that is split over two units
/// makes all later units slower.
static std::set<std::size_t> borders_of(const std::vector<Together>& all, std::size_t count) {
  const std::vector<std::size_t> crossings = crossings_of(all, all.size() / count);
  std::vector<std::size_t> done{0};
  for (const Together& each : all)
    done.push_back(done.back() + work_of(each));
  const std::size_t most = done.back() / count / 4;
  std::set<std::size_t> borders;
  for (std::size_t unit = 1; unit < count; ++unit) {
    const std::size_t middle = done.back() * unit / count;
    const auto cost = [&](std::size_t border) {
      const std::size_t at = done[border], away = at < middle ? middle - at : at - middle;
      const bool is_far = away > most;
      return std::tuple(is_far, is_far ? 0 : crossings[border], away);
    };
    std::size_t best = 0;
    for (std::size_t border = 1; border < all.size(); ++border)
      if (best == 0 || cost(border) < cost(best)) best = border;
    if (best != 0) borders.insert(best);
  }
  return borders;
}

Units in_units(const std::vector<Together>& given, std::size_t count) {
  const std::vector<Together> all = count > 1 ? as_documented(given) : given;
  const std::set<std::size_t> borders = borders_of(all, count);
  Units made;
  std::map<const Declaration*, std::size_t> unit_of;
  for (std::size_t at = 0; at != all.size(); ++at) {
    if (at == 0 || borders.contains(at)) made.emplace_back();
    Unit& unit = made.back();
    unit.declarations.push_back(all[at]);
    for (const Declaration* one : all[at])
      unit_of[one] = made.size() - 1;
    for (const Declaration* one : all[at])
      for (const Declaration* need : one->needs())
        if (unit_of.at(need) != made.size() - 1) unit.needs.insert(unit_of.at(need));
  }
  return made;
}

}  // namespace importer
