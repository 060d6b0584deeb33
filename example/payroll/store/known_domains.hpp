// Ids of domains, by name.
#pragma once

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "store/store.hpp"

/// Ids of domains that were found once. In one database they never go stale: a domain is neither
/// renamed nor removed, and an id never given out again. Call forget() when another database may be
/// behind the store. Only what exists is kept: new domains are found at once, and made-up names take
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
