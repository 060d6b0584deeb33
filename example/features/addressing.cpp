// WS-Addressing: each message names its action, and each response names the id of its request.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Order {
  std::string article;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(field("Article", &Order::article));

class Orders {
public:
  std::string place(const Order& order, const soapsvc::context& context) {
    for (const soapsvc::header_block& block : context.header_blocks)
      if (block.local == "Action") std::printf("action of %s\n", std::string(block.ns).c_str());
    return order.article + " ordered";
  }
  void forget(const Order& order) { std::printf("%s forgotten\n", order.article.c_str()); }
};
template <>
inline constexpr auto soapsvc::schema<Orders> = service(
    "Orders",
    ns("urn:orders"),
    addressing(required),  // with `addressing`, also serves callers without WS-Addressing
    operation("Place", &Orders::place),
    operation("Forget", &Orders::forget, one_way));

int main() {
  Orders orders;
  soapsvc::host host;
  host.add(orders);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  // The client writes MessageID, To, Action and ReplyTo, and checks RelatesTo of the response.
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Orders.asmx";
  for (const auto version :
       {soapsvc::addressing_version::v1_0, soapsvc::addressing_version::v2004_08}) {
    soapsvc::client<Orders> client{url, {.addressing = version}};
    std::printf("%s\n", client.call(&Orders::place, {"tea"}).c_str());
  }
  soapsvc::client<Orders>{url, {}}.call(&Orders::forget, {"milk"});  // HTTP 202, no envelope
  host.stop();
  serving.join();
}

// Output:
// action of http://www.w3.org/2005/08/addressing
// tea ordered
// action of http://schemas.xmlsoap.org/ws/2004/08/addressing
// tea ordered
// milk forgotten
