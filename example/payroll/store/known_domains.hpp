// A cache of domain ids by name.
#pragma once

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "store/store.hpp"

/// Caches the ids of existing domains. They never become stale in one database: domains are never
/// renamed or removed, and ids are never reused. Call forget() when the store may have another
/// database. Unknown names are not cached, so new domains are found at once, and made-up names take
/// no memory.
class KnownDomains {
public:
  std::optional<DomainId> find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const std::string& name, DomainId id) {
    const std::unique_lock lock(mutex_);
    ids_.emplace(name, id);
  }
  void forget() {
    const std::unique_lock lock(mutex_);
    ids_.clear();
  }

private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, DomainId> ids_;
};
