// An interceptor that authenticates: code around each call, before the request is read.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

class Diary {
public:
  std::string read(const soapsvc::context& call) { return "diary of " + std::string(call.user); }
};
template <>
inline constexpr auto soapsvc::schema<Diary> =
    service("Diary", ns("urn:diary"), operation("Read", &Diary::read));

/// In a real program, compare secrets in constant time, or better, store the SHA-256 of each secret
/// and look it up.
bool is_known(const soapsvc::http_request& request) {
  return request.header("Authorization") == "Bearer let-me-in";
}

/// Refuses callers without the right token.
void authenticate(soapsvc::intercepted_call& call) {
  if (!is_known(call.http())) {
    call.context().set_response_header("WWW-Authenticate", "Bearer");
    throw soapsvc::fault(soapsvc::fault_code::client, "who are you?").with_status(401);
  }
  call.set_user("Ann");  // methods find it in context::user
  call.proceed();  // the next interceptor, or the method
}

/// The same for WSDL and help pages.
void authorize_page(const soapsvc::http_request& request, soapsvc::http_response& response) {
  if (is_known(request)) return;
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  throw soapsvc::fault(soapsvc::fault_code::client, "who are you?").with_status(401);
}

/// Runs outside of `authenticate`, so it also logs the refused calls.
void log(soapsvc::intercepted_call& call) {
  const std::string operation(call.operation());
  try {
    call.proceed();
    std::printf("%s: served\n", operation.c_str());
  } catch (const soapsvc::fault& fault) {
    std::printf("%s: %d\n", operation.c_str(), fault.status());
    throw;
  }
}

int main() {
  Diary diary;
  soapsvc::host host{{.pages = {.authorize = authorize_page}, .interceptors = {log, authenticate}}};
  host.add(diary);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  soapsvc::client<Diary> client{
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Diary.asmx", {}};
  try {
    client.call(&Diary::read);
  } catch (const soapsvc::remote_fault& fault) {
    std::printf("%d: %s\n", fault.http_status(), fault.reason().c_str());
  }
  const auto known = client.with({.headers = {{"Authorization", "Bearer let-me-in"}}});
  std::printf("%s\n", soapsvc::client<Diary>{known}.call(&Diary::read).c_str());
  host.stop();
  serving.join();
}

// Output:
// Read: 401
// 401: who are you?
// Read: served
// diary of Ann
