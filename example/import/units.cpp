#include "units.hpp"

#include <map>

namespace importer {

/// What a declaration costs a compiler, in rows: its own machinery weighs as much as some of them.
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
    return (work_of(all) + most_in_one - 1) / most_in_one;
}

Units in_units(const std::vector<Together>& all, std::size_t count) {
    const std::size_t work = work_of(all);
    Units made;
    std::map<const Declaration*, std::size_t> unit_of;
    std::size_t done = 0;
    for (const Together& each : all) {
        // What is halfway over the border begins the next one.
        const std::size_t middle = done + work_of(each) / 2;
        if (made.empty() || middle * count >= made.size() * work) made.emplace_back();
        done += work_of(each);
        Unit& unit = made.back();
        unit.declarations.push_back(each);
        for (const Declaration* one : each)
            unit_of[one] = made.size() - 1;
        for (const Declaration* one : each)
            for (const Declaration* need : one->needs())
                if (unit_of.at(need) != made.size() - 1) unit.needs.insert(unit_of.at(need));
    }
    return made;
}

}  // namespace importer
