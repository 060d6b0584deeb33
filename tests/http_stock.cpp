// The host as it is on platforms other than Linux, where cpp-httplib's own loop serves: that it
// serves, stops, and does not bend what it passes on. It promises no more than that.
#define SOAPSVC_STOCK_HOST
#include <catch2/catch.hpp>

#include "net.hpp"

using namespace net;

TEST_CASE("the stock loop serves SOAP, WSDL and faults, with Date", "[stock]") {
    server at;
    client caller(at.port);
    for (int turn = 0; turn != 20; ++turn)
        CHECK(caller.ask(post(echo("kept"))).holds("kept"));
    CHECK(ask(at.port, get(path + "?wsdl")).holds("\"http://h/soap/"));
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
