// Lists and files that are larger than memory, in both directions: only one item, or one piece of
// the file, is in memory at a time.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Sale {
  std::int32_t number{};
  double amount{};
};
template <>
inline constexpr auto soapsvc::schema<Sale> =
    record("Sale", field("Number", &Sale::number), field("Amount", &Sale::amount));

struct Report {
  std::string branch;
  soapsvc::stream<Sale>
      sales;  // the last row: the method runs when all rows before it have arrived
};
template <>
inline constexpr auto soapsvc::schema<Report> =
    record(field("Branch", &Report::branch), field("Sale", &Report::sales));

/// A source owns everything that it needs; nullopt is the end.
auto sales(std::int32_t count) {
  return [next = 0, count]() mutable -> std::optional<Sale> {
    if (next == count) return std::nullopt;
    return Sale{++next, 0.5};
  };
}

class Ledger {
public:
  double book(const Report& report) {
    double total = 0;
    while (const std::optional<Sale> sale = report.sales.next())  // waits for the caller
      total += sale->amount;
    return total;
  }
  soapsvc::stream<Sale> list() { return sales(200'000); }
  /// Fills the beginning of the span and returns the number of bytes; 0 is the end.
  soapsvc::stream<std::byte> backup() {
    return [left = std::size_t{10'000'000}](std::span<std::byte> to) mutable {
      const std::size_t size = std::min(left, to.size());
      std::fill_n(to.begin(), size, std::byte{1});
      left -= size;
      return size;
    };
  }
};
template <>
inline constexpr auto soapsvc::schema<Ledger> = service(
    "Ledger",
    ns("urn:ledger"),
    operation("Book", &Ledger::book),
    operation("List", &Ledger::list),
    operation("Backup", &Ledger::backup));

int main() {
  Ledger ledger;
  soapsvc::host host;
  host.add(ledger);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });
  soapsvc::client<Ledger> client{
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Ledger.asmx", {}};

  std::printf("booked %.1f\n", client.call(&Ledger::book, Report{"Utrecht", sales(200'000)}));
  std::size_t count = 0;
  for (const auto list = client.call(&Ledger::list); list.next();)
    ++count;
  std::printf("listed %zu\n", count);
  const auto size = soapsvc::write_file(client.call(&Ledger::backup), "backup");  // or throws
  std::printf("saved %zu bytes\n", static_cast<std::size_t>(size));
  host.stop();
  serving.join();
}

// Output:
// booked 100000.0
// listed 200000
// saved 10000000 bytes
