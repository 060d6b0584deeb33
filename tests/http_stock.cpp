// The host as it is on platforms other than Linux, where cpp-httplib's own loop serves: that it
// serves, stops, and does not bend what it passes on. It promises no more than that.
#define SOAPSVC_STOCK_HOST
#include <catch2/catch.hpp>

#include "net.hpp"

using namespace net;

// Quoted in the README: what to write where the program has an HTTP server already.

/// Hands what a server of your own took in to the dispatcher, and gives its reply back.
void serve_beside(httplib::Server& server, const soapsvc::dispatcher& services) {
    const auto answer = [&services](const httplib::Request& from, httplib::Response& to) {
        std::vector<soapsvc::http_header> headers;
        for (const auto& [name, value] : from.headers)
            headers.push_back({name, value});
        soapsvc::http_request request{from.method, from.target, headers, from.body};
        request.peer = from.remote_addr;
        const soapsvc::http_reply reply = services.handle(request);
        to.status = reply.status;
        for (const auto& [name, value] : reply.headers)
            to.set_header(name, value);
        to.set_content(reply.body, reply.content_type);
    };
    server.set_payload_max_length(services.options().limits.body_bytes);
    server.Get("/soap/.*", answer);  // HEAD as well
    server.Post("/soap/.*", answer);
}

TEST_CASE("the stock loop serves SOAP, WSDL and faults, with Date", "[stock]") {
    server at;
    client caller(at.port);
    for (int turn = 0; turn != 20; ++turn)
        CHECK(caller.ask(post(echo("kept"))).holds("kept"));
    CHECK(ask(at.port, get(path + "?wsdl")).holds("\"http://localhost/soap/"));
    CHECK(ask(at.port, get("/nowhere")).status == 404);
    CHECK(ask(at.port, post("<no envelope>")).status == 500);
    CHECK(
        ask(at.port, "DELETE " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").field("allow") ==
        "GET, HEAD, POST");
    CHECK(at.desk.calls == 20);
}

TEST_CASE("the stock loop shows the caller's real address, and whole envelopes", "[stock]") {
    server at;
    CHECK(ask(at.port, post(envelope("About"), "REMOTE_ADDR: 6.6.6.6\r\n")).holds(">127.0.0.1|<"));
    const reply got = ask(at.port, post(echo("whole"), "Range: bytes=0-10\r\n"));
    CHECK(got.status == 200);
    CHECK(got.holds("</soap:Envelope>"));
}

TEST_CASE("the stock loop refuses what is too long, and a port in use", "[stock]") {
    auto options = quick_options();
    options.limits.body_bytes = 1'000;
    server at(std::move(options));
    CHECK(ask(at.port, post(echo(std::string(2'000, 'x')))).status == 413);
    server other(quick_options(), false);
    CHECK_THROWS_WITH(other.host.bind("127.0.0.1", at.port), Catch::Contains("cannot listen on"));
}

TEST_CASE("the stock loop stops, even when told so before or while it begins", "[stock]") {
    {
        server at(quick_options(), false);
        at.host.stop();
        at.serve();
        at.join();
    }
    for (int turn = 0; turn != 20; ++turn)
        server at;
}

TEST_CASE("the stock loop speaks TLS 1.2 and later when it has a certificate", "[stock]") {
    const scratch_folder folder;
    const identity own("localhost");
    own.write(folder.file("server.pem"));
    auto options = quick_options();
    options.certificate_file = folder.file("server.pem");
    server at(options);
    tls_client caller(at.port);
    CHECK(caller.serial() == own.serial());
    CHECK(caller.ask(post(echo("safe"))).holds("safe"));
    CHECK_THROWS(tls_client(at.port, nullptr, TLS1_1_VERSION));
    options.certificate_file = folder.file("none.pem");
    CHECK_THROWS_WITH(soapsvc::host(options), Catch::Contains("none.pem"));
}

TEST_CASE("a dispatcher answers behind a server of the program's own", "[stock]") {
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
