// Several services in one host, a page of the program's own, and a listener for operators only.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

class Sums {
public:
  std::int32_t one() { return 1; }
};
template <>
inline constexpr auto soapsvc::schema<Sums> =
    service("Sums", ns("urn:sums"), operation("One", &Sums::one));

class Words {
public:
  std::string one() { return "one"; }
};
template <>
inline constexpr auto soapsvc::schema<Words> =
    service("Words", ns("urn:words"), operation("One", &Words::one));

soapsvc::http_response text(const std::string& line) {
  soapsvc::http_response page;
  page.content_type = "text/plain; charset=utf-8";
  page.body = line + '\n';
  return page;
}

int main() {
  Sums sums;
  Words words;
  soapsvc::host host{{.base_path = "/api"}};
  host.add(sums);  // at base_path/Name.asmx
  host.add(words, "/words/v1");
  host.add_page("/healthz", [](const soapsvc::http_request&) { return text("fine"); });
  const auto metrics = [&host](const soapsvc::http_request&) {
    return text("connections " + std::to_string(host.statistics().connections));
  };
  host.add_page("/metrics", metrics, soapsvc::listener_role::operators);
  const int port = host.bind({"127.0.0.1", 0});
  const int operators = host.bind({.role = soapsvc::listener_role::operators});  // no services
  std::thread serving([&host] { host.serve(); });

  const auto at = [](int number) { return "http://127.0.0.1:" + std::to_string(number); };
  soapsvc::client<Sums> numbers{at(port) + "/api/Sums.asmx", {}};
  soapsvc::client<Words> texts{at(port) + "/words/v1", {}};
  std::printf("%d %s\n", numbers.call(&Sums::one), texts.call(&Words::one).c_str());
  try {
    soapsvc::client<Words>{at(operators) + "/words/v1", {}}.call(&Words::one);
  } catch (const soapsvc::transport_error& error) {
    std::printf("at the operators' port: %d\n", error.http_status());
  }
  host.stop();
  serving.join();
}

// Output:
// 1 one
// at the operators' port: 404
