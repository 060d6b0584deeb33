// The interface of a kind of database for store_suite.cpp.
#pragma once

#include "example.hpp"

namespace example {

constexpr std::chrono::sys_days march = std::chrono::year(2026) / 3 / 1;
constexpr std::chrono::sys_days today_ = std::chrono::year(2026) / 3 / 17;

inline EmployeeAddress work_address(const std::string& street) {
  EmployeeAddress made;
  made.street = street;
  made.type = AddressType::work;
  return made;
}

/// A database with domain acme, employees 1 and 2; and globex with employee 3.
inline void fill_small(Store& store) {
  using Outcome = AdminStore::Outcome;
  REQUIRE(store.add_domain("acme") == Outcome::done);
  REQUIRE(store.add_domain("globex") == Outcome::done);
  for (const auto& [domain, wanted] : {std::pair{"acme", 1}, {"acme", 2}, {"globex", 3}}) {
    std::int32_t id = wanted;
    REQUIRE(store.add_employee(domain, id) == Outcome::done);
  }
}

/// A new database, removed at the end of the test, with access to data that the interfaces do not
/// show.
class Database {
public:
  virtual ~Database() = default;

  /// May be called from several threads at once, as by several processes.
  virtual std::unique_ptr<Store> open() = 0;
  /// The ids of all addresses with the default mark, active or not, in order.
  virtual std::vector<std::int32_t> default_addresses() = 0;
  /// Gives all addresses an invalid type.
  virtual void spoil_types() = 0;
};

/// Defined once in each program.
std::unique_ptr<Database> new_database();

}  // namespace example
