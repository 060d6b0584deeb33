// A program outside of this project: one service, called without a socket and hosted on one.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "soapsvc.hpp"

struct Add {
  std::int32_t left{};
  std::int32_t right{};
};
template <>
inline constexpr auto soapsvc::schema<Add> =
    record(field("Left", &Add::left), field("Right", &Add::right));

class Calculator {
public:
  std::int32_t add(const Add& request) { return request.left + request.right; }
};
template <>
inline constexpr auto soapsvc::schema<Calculator> =
    service("Calculator", operation("Add", &Calculator::add));

namespace {

const std::string request_body =
    "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>"
    "<Add xmlns=\"http://consumer.example.com/v1/Calculator\"><Left>40</Left><Right>2</Right></Add>"
    "</e:Body></e:Envelope>";

bool answers(Calculator& calculator, const soapsvc::dispatcher_options& options) {
  soapsvc::dispatcher dispatcher{options};
  dispatcher.add(calculator);
  const soapsvc::http_header type{"Content-Type", "text/xml; charset=utf-8"};
  soapsvc::http_request request{};
  request.method = "POST";
  request.target = "/soap/v3/Calculator.asmx";
  request.body = request_body;
  request.headers = {&type, 1};
  const soapsvc::http_response response = dispatcher.handle(request);
  std::puts(response.body.c_str());
  return response.status == 200 &&
         response.body.find("<AddResult>42</AddResult>") != std::string::npos;
}

bool serves(Calculator& calculator, const soapsvc::dispatcher_options& options) {
  soapsvc::host host{options};
  host.add(calculator);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving{[&host] { host.serve(); }};
  host.stop();
  serving.join();
  return port > 0;
}

}  // namespace

int main() {
  try {
    Calculator calculator;
    soapsvc::dispatcher_options options;
    options.ns_base = "http://consumer.example.com/v1";
    return answers(calculator, options) && serves(calculator, options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 2;
  }
}
