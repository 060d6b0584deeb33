// A program that only calls a service: client_only URL. It needs the service's messages and the
// declarations of its methods, but not its code, so the methods are pure virtual. soapsvc-import
// writes such a header from a WSDL.
#include <cstdio>

#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

struct Error {
  std::int32_t code{};
};
template <>
inline constexpr auto soapsvc::schema<Error> = record("Error", field("Code", &Error::code));

class Hello {
public:
  virtual std::string greet(const Greet& request) = 0;

protected:
  ~Hello() = default;
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", ns("urn:hello"), operation("Greet", &Hello::greet));

void greet(const std::string& url, const char* name) {
  using namespace std::chrono_literals;
  try {
    soapsvc::client<Hello> hello{url, {.call_timeout = 5s}};
    std::printf("%s\n", hello.call(&Hello::greet, {name}).c_str());
  } catch (const soapsvc::remote_fault& fault) {  // the service answered, with a fault
    const auto error = soapsvc::read_detail<Error>(fault);
    std::printf("fault: %s (%d)\n", fault.reason().c_str(), error ? error->code : 0);
  } catch (const soapsvc::transport_error& error) {  // no response, or an invalid one
    std::printf("not called: %s\n", error.may_have_arrived() ? "maybe served" : "try again");
  }
}

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: client_only URL\n"), 2;
  greet(arguments[1], "Ada");
  greet(arguments[1], "");
  greet("http://127.0.0.1:1/nobody/listens", "Ada");
}

// Output:
// Hello, Ada!
// fault: a name is needed (17)
// not called: try again
