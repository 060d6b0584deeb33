#include "store/outages.hpp"

#include <algorithm>

soapsvc::fault fault_of(Outage outage) {
  return soapsvc::fault(
             soapsvc::fault_code::server,
             outage == Outage::full ? "The database takes no writes now. Try again later."
                                    : "The database does not answer. Try again later.")
      .with_status(503);
}

void Outages::note(Outage outage, const std::string& why) {
  if (outage == Outage::silent) {
    if (!silent_.exchange(true)) tell("the database does not answer: " + why);
    return;
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_().since_boot).count();
  std::int64_t last = full_.load();
  if (last != 0 && now - last < 60) return;
  if (full_.compare_exchange_strong(last, std::max<std::int64_t>(now, 1)))
    tell("the database takes no writes: " + why);
}

void Outages::note_answer() {
  if (silent_.load(std::memory_order_relaxed) && silent_.exchange(false))
    tell("the database answers again");
}

void Outages::note_room() {
  if (full_.exchange(0) != 0) tell("the database takes writes again");
}
