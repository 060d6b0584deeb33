// A dispatcher behind an HTTP server of the program's own, here cpp-httplib's: the eighteen lines of
// the README.
#include <httplib.h>

#include <catch2/catch.hpp>

#include "../net.hpp"

using namespace net;

// Quoted in example/features/host.md: what to write where the program has an HTTP server already.

/// Hands what a server of your own took in to the dispatcher, and gives its response back.
void serve_beside(httplib::Server& server, const soapsvc::dispatcher& services) {
    const auto answer = [&services](const httplib::Request& from, httplib::Response& to) {
        std::vector<soapsvc::http_header> headers;
        for (const auto& [name, value] : from.headers)
            headers.push_back({name, value});
        soapsvc::http_request request{from.method, from.target, headers, from.body};
        request.peer = from.remote_addr;
        const soapsvc::http_response response = services.handle(request);
        to.status = response.status;
        for (const auto& [name, value] : response.headers)
            to.set_header(name, value);
        to.set_content(response.body, response.content_type);
    };
    server.set_payload_max_length(services.options().limits.max_body_bytes);
    server.Get("/soap/.*", answer);  // HEAD as well
    server.Post("/soap/.*", answer);
}

TEST_CASE("a dispatcher answers behind a server of the program's own", "[other-server]") {
    Desk desk;
    soapsvc::dispatcher services({.ns_base = quick_options().ns_base});
    services.add(desk);
    httplib::Server own;
    own.Get("/other", [](const auto&, auto& to) { to.set_content("mine", "text/plain"); });
    serve_beside(own, services);
    const std::string base =
        "http://127.0.0.1:" + std::to_string(own.bind_to_any_port("127.0.0.1"));
    std::thread serving([&] { own.listen_after_bind(); });
    CHECK(eventually([&] { return own.is_running(); }));
    for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2}) {
        soapsvc::client<Desk> caller(
            base + path,
            {.ns_base = "http://example.com/soap",
             .version = version,
             .headers = {{"REMOTE_ADDR", "6.6.6.6"}}});
        CHECK(caller.call(&Desk::echo, Words{"behind"}) == "behind");
        CHECK(caller.call(&Desk::about) == "127.0.0.1|");
        CHECK_THROWS_AS(caller.call(&Desk::fail, Words{"x"}), soapsvc::remote_fault);
    }
    httplib::Client plain(base);
    CHECK(plain.Get("/other")->body == "mine");
    CHECK_THAT(
        plain.Get(path + "?wsdl")->body, Catch::Contains("location=\"" + base + path + "\""));
    CHECK(plain.Get("/soap/none")->status == 404);
    own.stop();
    serving.join();
}
