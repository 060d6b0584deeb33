#include "order.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace importer {

namespace {

using Edges = std::function<std::vector<Declaration*>(const Declaration&)>;

/// Tarjan's strongly connected components, in the needed order: a declaration comes before the
/// declarations that use it. The stack is explicit, because chains may be long.
class Components {
public:
  explicit Components(const Edges& edges) : edges_(edges) {}

  std::vector<Together> of(const std::vector<Declaration*>& from) {
    for (Declaration* root : from) {
      if (marks_[root].index == 0) enter(root);
      while (!stack_.empty())
        step();
    }
    return std::move(all_);
  }

private:
  struct Mark {
    std::size_t index = 0;
    std::size_t low = 0;
    bool is_open = false;
  };
  struct Frame {
    Declaration* at;
    std::vector<Declaration*> next;
    std::size_t tried = 0;
  };

  void enter(Declaration* at) {
    ++count_;
    marks_[at] = {count_, count_, true};
    open_.push_back(at);
    stack_.push_back({at, edges_(*at)});
  }

  /// Follows one edge of the last entered node, or leaves the node.
  void step() {
    Frame& frame = stack_.back();
    if (frame.tried == frame.next.size()) return leave();
    Declaration* const to = frame.next[frame.tried++];
    const Mark& seen = marks_[to];
    if (seen.index == 0)
      enter(to);
    else if (seen.is_open)
      marks_[frame.at].low = std::min(marks_[frame.at].low, seen.index);
  }

  void leave() {
    Declaration* const at = stack_.back().at;
    stack_.pop_back();
    const Mark mark = marks_[at];
    if (!stack_.empty()) {
      Mark& outer = marks_[stack_.back().at];
      outer.low = std::min(outer.low, mark.low);
    }
    if (mark.low != mark.index) return;
    Together& made = all_.emplace_back();
    Declaration* last = nullptr;
    do {
      last = open_.back();
      open_.pop_back();
      marks_[last].is_open = false;
      made.push_back(last);
    } while (last != at);
    std::reverse(made.begin(), made.end());
  }

  const Edges& edges_;
  std::map<const Declaration*, Mark> marks_;
  std::vector<Declaration*> open_;
  std::vector<Frame> stack_;
  std::vector<Together> all_;
  std::size_t count_ = 0;
};

std::vector<Together> components(const std::vector<Declaration*>& from, const Edges& edges) {
  return Components(edges).of(from);
}

/// True if the row's struct must be complete before the struct with the row, because it is a part
/// of it.
bool holds_whole(const Row& row) {
  if (row.type.kind != CppType::Kind::declared) return false;
  if (row.kind == Row::Kind::group) return true;  // its table is, too
  return row.holder == Holder::value || row.holder == Holder::optional;
}

std::vector<Declaration*> whole_parts(const Declaration& of) {
  std::vector<Declaration*> all;
  if (of.base) all.push_back(of.base);
  for (const Row& row : of.rows)
    if (holds_whole(row)) all.push_back(row.type.declared);
  return all;
}

}  // namespace

void break_cycles(Tables& tables) {
  std::vector<Declaration*> from;
  for (Declaration& each : tables.declarations)
    from.push_back(&each);
  std::map<const Declaration*, std::size_t> component;
  const std::vector<Together> before = components(from, whole_parts);
  for (std::size_t index = 0; index != before.size(); ++index)
    for (const Declaration* each : before[index])
      component[each] = index;
  for (Declaration& each : tables.declarations)
    for (Row& row : each.rows) {
      if (!holds_whole(row) || component[row.type.declared] != component[&each]) continue;
      if (!row.is_nillable) continue;  // in a box if possible
      const bool must = row.holder == Holder::value;
      row.holder = Holder::vector;
      row.options.push_back(Option::occurs(must ? 1 : 0, 1));
    }
  for (const Together& each : components(from, whole_parts)) {
    const auto parts = whole_parts(*each.front());
    const bool holds_itself =
        each.size() > 1 || std::find(parts.begin(), parts.end(), each.front()) != parts.end();
    if (!holds_itself) continue;
    for (Declaration* one : each)
      if (!one->problem)
        one->problem = Problem{
            one->at.text(),
            "every value of the type contains another value of the type, without end"};
  }
}

static std::vector<Declaration*> roots_of(const std::vector<const Method*>& methods) {
  std::vector<Declaration*> roots;
  for (const Method* each : methods)
    for (Declaration* need : each->needs())
      roots.push_back(need);
  return roots;
}

std::set<const Declaration*> reached(const std::vector<const Method*>& methods) {
  std::set<const Declaration*> all;
  std::vector<Declaration*> next = roots_of(methods);
  while (!next.empty()) {
    const Declaration* const at = next.back();
    next.pop_back();
    if (!all.insert(at).second) continue;
    for (Declaration* need : at->needs())
      if (!all.contains(need)) next.push_back(need);
  }
  std::erase_if(all, [](const auto* each) { return each->kind == Declaration::Kind::known_types; });
  return all;
}

/// The reason that comes first in the documents.
static const Problem* first_of(const Problem* a, const Problem* b) {
  if (!a || !b) return a ? a : b;
  return b->where < a->where ? b : a;
}

Problems::Problems(Tables& tables) {
  std::vector<Declaration*> from;
  for (Declaration& each : tables.declarations)
    from.push_back(&each);
  for (const Together& each : components(from, [](const Declaration& of) { return of.needs(); })) {
    const Problem* found = nullptr;
    for (const Declaration* one : each) {
      if (one->problem) found = first_of(found, &*one->problem);
      for (const Declaration* need : one->needs())
        if (const auto known = of_.find(need); known != of_.end())
          found = first_of(found, known->second);
    }
    for (const Declaration* one : each)
      of_[one] = found;
  }
}

const Problem* Problems::of(const Method& method) const {
  if (method.problem) return &*method.problem;
  const Problem* found = nullptr;
  for (const Declaration* each : method.needs())
    found = first_of(found, of_.at(each));
  return found;
}

/// Orders declarations that use each other: each part before the struct that contains it.
static Together parts_first(const Together& all) {
  const std::set<Declaration*> inside(all.begin(), all.end());
  Together sorted;
  for (const Together& each : components(all, [&](const Declaration& of) {
         auto parts = whole_parts(of);
         std::erase_if(parts, [&](Declaration* part) { return !inside.contains(part); });
         return parts;
       }))
    sorted.insert(sorted.end(), each.begin(), each.end());
  return sorted;
}

std::vector<Together> in_order(const std::vector<const Method*>& methods) {
  std::vector<Together> all =
      components(roots_of(methods), [](const Declaration& of) { return of.needs(); });
  std::map<const Declaration*, std::size_t> place;
  for (Together& together : all) {
    if (together.size() > 1) together = parts_first(together);
    for (const Declaration* each : together)
      place.emplace(each, place.size());
  }
  for (const Together& together : all)
    for (Declaration* each : together)
      for (Row& row : each->rows) {
        if (!row.type.declared || row.kind == Row::Kind::group) continue;
        const bool itself = row.type.declared == each;
        row.is_forward_declared = itself ? row.type.kind == CppType::Kind::derived
                                         : place[row.type.declared] > place[each];
      }
  return all;
}

/// The place of a declaration among the others. Documents declare messages apart, so these come
/// behind the declarations that they need.
static Place place_among(const Declaration& of) {
  const auto before = [](const Declaration* a, const Declaration* b) { return a->at < b->at; };
  const std::vector<Declaration*> needs = of.needs();
  if (!of.is_message || needs.empty()) return of.at;
  return (*std::max_element(needs.begin(), needs.end(), before))->at;
}

std::vector<Together> as_documented(const std::vector<Together>& all) {
  std::vector<Declaration*> from;
  std::map<const Declaration*, const Together*> together;
  for (const Together& each : all)
    for (Declaration* one : each) {
      from.push_back(one);
      together.emplace(one, &each);
    }
  std::stable_sort(from.begin(), from.end(), [](const Declaration* a, const Declaration* b) {
    return place_among(*a) < place_among(*b);
  });
  std::vector<Together> sorted = components(from, [](const Declaration& of) { return of.needs(); });
  for (Together& each : sorted)
    each = *together.at(each.front());  // which of their tables are below stays as it is
  return sorted;
}

}  // namespace importer
