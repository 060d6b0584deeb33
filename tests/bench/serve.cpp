// serve ours [CERTIFICATE KEY] | stock THREADS [CERTIFICATE KEY]
//
// The servers from memory that `run` compares. Each prints its port and ends on SIGTERM. Ours
// decodes the request, calls a method and encodes its addresses, and has services for those that
// call beside; the stock cpp-httplib sends the same bytes as a fixed string. THREADS 0 is
// cpp-httplib's own choice. Built with COUNT_ALLOCATIONS ours has a page /allocations: what the
// process has asked of the heap so far.
#include <httplib.h>

#include <cstdio>

#include "allocations.hpp"
#include "served.hpp"
#include "services.hpp"
#include "stop_on_sigterm.hpp"
#include "streams.hpp"

namespace {

void unseen() {}

soapsvc::host_options options_of(const char* certificate, const char* key) {
  soapsvc::host_options options;
  if (certificate) {
    options.tls.certificate_file = certificate;
    options.tls.key_file = key;
  }
  return options;
}

void serve_ours(const char* certificate, const char* key) {
  bench::Employees<unseen> employees;
  bench::Debtors<unseen> debtors;
  bench::Addresses addresses;
  bench::Streams<false> streams;
  soapsvc::host host(bench::ns_base, options_of(certificate, key));
  host.add(employees);
  host.add(debtors);
  host.add(addresses);
  host.add(streams);
#ifdef COUNT_ALLOCATIONS
  static std::atomic<std::uint64_t> made = 0;
  bench::all_allocations = &made;
  host.add_page("/allocations", [](const soapsvc::http_request&) {
    soapsvc::http_response response;
    response.content_type = "text/plain";
    response.body = std::to_string(made.load());
    return response;
  });
#endif
  const int port = host.bind({"127.0.0.1", 0});
  const bench::stop_on_sigterm stop(host);
  std::printf("%d\n", port);
  std::fflush(stdout);
  host.serve();
}

/// Our response.
std::string ready_response() {
  bench::Employees<unseen> employees;
  soapsvc::dispatcher services({.ns_base = bench::ns_base});
  services.add(employees);
  const std::string body = bench::list_request(1);
  const soapsvc::http_header type{"Content-Type", "text/xml"};
  soapsvc::http_request request;
  request.target = "/soap/v3/EmployeeService.asmx";
  request.headers = std::span(&type, 1);
  request.body = body;
  return services.handle(request).body;
}

void serve_stock(httplib::Server& server, std::size_t threads) {
  const std::string ready = ready_response();
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1'000'000'000);
  server.set_keep_alive_timeout(60);
  if (threads != 0) server.new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  server.Post(".*", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(ready, "text/xml; charset=utf-8");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  const bench::stop_on_sigterm stop(server);
  std::printf("%d\n", port);
  std::fflush(stdout);
  server.listen_after_bind();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count > 1 ? arguments[1] : "";
  if (which == "ours" && (count == 2 || count == 4)) {
    serve_ours(count == 4 ? arguments[2] : nullptr, count == 4 ? arguments[3] : nullptr);
  } else if (which == "stock" && count == 3) {
    httplib::Server server;
    serve_stock(server, std::strtoul(arguments[2], nullptr, 10));
  } else if (which == "stock" && count == 5) {
    httplib::SSLServer server(arguments[3], arguments[4]);
    serve_stock(server, std::strtoul(arguments[2], nullptr, 10));
  } else {
    std::fprintf(stderr, "serve ours [CERT KEY] | stock THREADS [CERT KEY]\n");
    return 2;
  }
}
