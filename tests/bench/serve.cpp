// serve ours [THREADS] | stock [THREADS]: the two servers that `host` compares. Each prints its
// port.
//
// Both answer the same number of bytes: ours decodes the request, calls a method and encodes its
// three addresses; the stock one sends a string.
#include <cstdio>

#include "served.hpp"

namespace {

/// What ours would answer, headers and all but the body.
std::string ready_reply() {
    bench::Addresses addresses;
    soapsvc::host_options options;
    options.ns_base = "http://bench.example";
    soapsvc::dispatcher services(options);
    services.add(addresses);
    const std::string body = bench::list_envelope();
    soapsvc::http_request request;
    request.target = bench::path;
    request.body = body;
    return services.handle(request).body;
}

void serve_stock(std::size_t threads) {
    const std::string ready = ready_reply();
    httplib::Server server;
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(1'000'000'000);
    server.set_keep_alive_timeout(60);
    if (threads != 0)
        server.new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    server.Post(".*", [&](const httplib::Request&, httplib::Response& response) {
        response.set_content(ready, "text/xml; charset=utf-8");
    });
    std::printf("%d\n", server.bind_to_any_port("127.0.0.1"));
    std::fflush(stdout);
    server.listen_after_bind();
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view which = count > 1 ? arguments[1] : "";
    const std::size_t threads = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 0;
    soapsvc::host_options options;
    options.threads = threads;
    if (which == "ours")
        bench::serve(std::move(options));
    else if (which == "stock")
        serve_stock(threads);
    else if (which == "request")
        std::fputs(bench::list_envelope().c_str(), stdout);
    else
        return std::fprintf(stderr, "serve ours|stock|request [THREADS]\n"), 2;
    return 0;
}
