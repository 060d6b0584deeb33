// Types of your own on the wire: an adapter for a class with private members, a list in an element
// of its own, std::chrono, and a member that is not sent. The same table reads and writes XML
// without a message.
#include <cstdio>

#include "soapsvc.hpp"

class Money {
public:
  Money() = default;
  explicit Money(std::int64_t cents) : cents_(cents) {
    if (cents < 0) throw std::invalid_argument("an amount is not negative");
  }
  std::int64_t cents() const { return cents_; }

private:
  std::int64_t cents_ = 0;
};
template <> struct soapsvc::adapter<Money> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Money& money) { return wire(money.cents(), 2); }
  static Money from_wire(const wire& sent) {
    if (const auto cents = sent.units(2)) return Money(*cents);
    throw std::invalid_argument("an amount has two decimal places");
  }
};

struct Order {
  std::chrono::sys_days placed{};
  std::vector<Money> prices;
  std::string card;
  int times_printed = 0;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    "Order",
    field("Placed", &Order::placed),
    wrapped_list("Prices", "Price", &Order::prices),
    field("Card", &Order::card, secret),
    ignored(&Order::times_printed));

class Shop {
public:
  Money total(const Order& order) {
    std::int64_t cents = 0;
    for (const Money& price : order.prices)
      cents += price.cents();
    return Money(cents);
  }
};
template <>
inline constexpr auto soapsvc::schema<Shop> =
    service("Shop", ns("urn:shop"), operation("Total", &Shop::total, parameters("Order")));

int main() {
  const Order order{std::chrono::sys_days{}, {Money(250)}, "4111"};
  std::printf("%s\n", soapsvc::write_xml(order).c_str());
  std::printf("%s\n", soapsvc::to_text(order).c_str());
  const auto again = soapsvc::read_xml<Order>(soapsvc::write_xml(order));
  std::printf("%d cents\n", static_cast<int>(again.prices.at(0).cents()));
  try {
    soapsvc::read_xml<Order>(
        "<Order><Placed>1970-01-01</Placed><Prices><Price>-1</Price></Prices><Card/></Order>");
  } catch (const soapsvc::fault& refused) {
    std::printf("%s\n", refused.what());
  }
  Shop shop;
  soapsvc::dispatcher services;
  services.add(shop);
  soapsvc::client<Shop> client{services};
  std::printf("%d cents\n", static_cast<int>(client.call(&Shop::total, order).cents()));
}

// Output:
// <Order><Placed>1970-01-01</Placed><Prices><Price>2.50</Price></Prices><Card>4111</Card></Order>
// <Order><Placed>1970-01-01</Placed><Prices><Price>2.50</Price></Prices><Card>***</Card></Order>
// 250 cents
// Order/Prices/Price: is not allowed: an amount is not negative
// 250 cents
