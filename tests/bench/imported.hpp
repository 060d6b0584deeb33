// One operation of an imported contract, in process: bytes in, bytes out. imported.py writes the
// program around it, from the skeleton. Its method returns the value that a client has first read
// from the given response.
//
//     check REQUEST REPLY FOLDER      reads both, and writes them again to FOLDER
//     run REQUEST REPLY ROUNDS MILLISECONDS SERIES CASE
#pragma once

#include <cstdlib>
#include <type_traits>

#include "files.hpp"
#include "measure.hpp"
#include "soapsvc.hpp"

namespace bench {

/// The operation in the contract, and its messages.
struct message {
  const char* action = "";
  bool is_12 = false;
  std::string request;
  std::string response;
  std::string sent_on;  ///< the request as written by the client
};
inline message the_message;

inline soapsvc::http_response other_service(const soapsvc::http_request& request) {
  the_message.sent_on = request.body;
  soapsvc::http_response response;
  response.status = 200;
  response.body = the_message.response;
  response.content_type =
      the_message.is_12 ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8";
  return response;
}

/// The body of the method: the first call reads the response, all others reuse it.
template <class Result, class Service, class Method, class... Given>
const Result& answer(Method method, const Given&... given) {
  static const Result kept = [&]() -> Result {
    soapsvc::client_options options;
    options.ns_base = "http://localhost:8080";
    options.version = the_message.is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
    soapsvc::client<Service> other(other_service, options);
    return other.call(method, given...);
  }();
  handler_entered();
  return kept;
}

template <class Service> int run(int count, char** arguments, const char* action, bool is_12) {
  const std::string_view what = count > 3 ? arguments[1] : "";
  if (!(what == "check" && count == 5) && !(what == "run" && count == 8)) return 2;
  the_message = {action, is_12, read_file(arguments[2]), read_file(arguments[3]), {}};

  Service service;
  soapsvc::dispatcher services({.ns_base = "http://localhost:8080"});
  services.add(service);
  const std::string path(services.path_of(std::string(soapsvc::schema<Service>.name)));
  const std::string quoted = '"' + std::string(action) + '"';
  const std::string type =
      is_12 ? "application/soap+xml; charset=utf-8; action=" + quoted : "text/xml; charset=utf-8";
  const std::vector<soapsvc::http_header> headers{
      {"Host", "localhost:8080"}, {"Content-Type", type}, {"SOAPAction", quoted}};
  soapsvc::http_request request;
  request.target = path;
  request.headers = {headers.data(), headers.size() - (is_12 ? 1 : 0)};
  request.body = the_message.request;
  soapsvc::http_response response;
  const auto call = [&] {
    services.handle(request, response);
    if (response.status == 200) return;
    std::fprintf(stderr, "%s\n", response.body.c_str());
    std::exit(1);
  };
  call();
  if (what == "check") {
    write_file(std::string(arguments[4]) + "/request.xml", the_message.sent_on);
    write_file(std::string(arguments[4]) + "/response.xml", response.body);
    return 0;
  }
  const effort with{std::atoi(arguments[4]), std::chrono::milliseconds(std::atoi(arguments[5]))};
  row("speed", arguments[6], arguments[7], "bytes_in", static_cast<double>(request.body.size()));
  row("speed", arguments[6], arguments[7], "bytes_out", static_cast<double>(response.body.size()));
  measure("speed", arguments[6], arguments[7], with, call);
  return 0;
}

}  // namespace bench
