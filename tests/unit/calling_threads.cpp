// [client] from many threads: idle connections, their number and age, and TLS for all of them.
#include <catch2/catch.hpp>

#include "scripted.hpp"

namespace {

using namespace net;

/// Runs `work(number)` in so many threads, and waits for all of them.
template <class Work>
void in_threads(int count, Work work) {
    std::vector<std::thread> all;
    for (int number = 0; number != count; ++number)
        all.emplace_back([&work, number] { work(number); });
    for (std::thread& each : all)
        each.join();
}

}  // namespace

TEST_CASE("many threads call over one client", "[client][sockets][threads]") {
    server at;
    soapsvc::client_options with = options();
    with.max_idle_connections = 3;
    std::atomic<int> responses{0}, wrong{0};
    with.on_response = [&](const soapsvc::http_response& each) { responses += each.status == 200; };
    const auto client = client_of(at.port, with);
    in_threads(64, [&](int number) {
        for (int turn = 0; turn != 10; ++turn) {
            const std::string text = std::to_string(number) + ' ' + std::to_string(turn);
            const auto own = client.with({.headers = {{"X-Call", text}}});
            if (echo_by(own, text) != text) ++wrong;
        }
    });
    CHECK(wrong == 0);
    CHECK(responses == 640);
    CHECK(at.desk.calls == 640);
    // What is idle in the end is no more than may be.
    CHECK(eventually([&] { return at.host.statistics().connections == 3; }));
}

TEST_CASE("threads that call one after the other share a connection", "[client][keep-alive]") {
    server at;
    const auto client = client_of(at.port);
    for (int turn = 0; turn != 5; ++turn)
        in_threads(1, [&](int) { echo_by(client); });
    CHECK(at.host.statistics().accepted == 1);
}

TEST_CASE("no idle connection is kept for a client that keeps none", "[client][keep-alive]") {
    server at;
    soapsvc::client_options with = options();
    with.max_idle_connections = 0;
    const auto client = client_of(at.port, with);
    for (int turn = 0; turn != 3; ++turn)
        CHECK(echo_by(client) == "hi");
    CHECK(at.host.statistics().accepted == 3);
}

TEST_CASE("a connection that was idle for too long is not used", "[client][keep-alive]") {
    server at;
    soapsvc::client_options with = options();
    with.max_idle_age = 10ms;
    const auto client = client_of(at.port, with);
    for (int turn = 0; turn != 3; ++turn) {
        CHECK(echo_by(client) == "hi");
        std::this_thread::sleep_for(20ms);
    }
    CHECK(at.host.statistics().accepted == 3);
    with.max_idle_age = -1ms;
    CHECK_THROWS_WITH(client_of(at.port, with), Catch::Contains("max_idle_age is -1"));
}

TEST_CASE("idle connections that the server has closed are passed over", "[client][keep-alive]") {
    net::host_setup closing = quick_options();
    closing.server.timeouts.idle = 50ms;
    server at(closing);
    const auto client = client_of(at.port);
    for (int turn = 0; turn != 2; ++turn) {
        in_threads(8, [&](int) { client.call(&Desk::slow, {20}); });
        CHECK(eventually([&] { return at.host.statistics().connections == 0; }));
    }
    CHECK(at.desk.calls == 16);
}

TEST_CASE("a short handshake follows a long one", "[client][tls]") {
    const identity self("127.0.0.1");
    const scratch_folder folder;
    self.write(folder.file("self.pem"));
    std::atomic<int> resumed{0};
    const scripted server(
        [&](connection& to) {
            resumed += ::SSL_session_reused(to.tls());
            to.read();
            to.send(http("200 OK", "text/xml", echoed("x"), "Connection: close\r\n"));
        },
        &self);
    soapsvc::client_options with = options();
    with.ca_file = folder.file("self.pem");
    const auto client = client_of(server.port, with, "https");
    for (int turn = 0; turn != 4; ++turn)
        CHECK(echo_by(client) == "x");
    CHECK(server.accepted == 4);
    CHECK(resumed == 3);
    client.reload_certificates();  // and trusts nobody whom it trusted by the old ones
    CHECK(echo_by(client) == "x");
    CHECK(resumed == 3);
}

TEST_CASE("certificates are read once, and again when told", "[client][tls][certificate]") {
    secure_host at("127.0.0.1");
    const identity other("127.0.0.1");
    const std::string file = at.folder.file("authorities.pem");
    at.self.write(file);
    at.trusting.ca_file = file;
    const auto client = client_of(at.served->port, at.trusting, "https");
    CHECK(echo_by(client) == "hi");
    CHECK(echo_by(client) == "hi");
    CHECK(at.served->host.statistics().accepted == 1);

    other.write(file);
    in_threads(
        4, [&](int) { client.call(&Desk::slow, {10}); });  // new connections, the old authorities
    client.reload_certificates();
    auto wary = client;
    CHECK_THAT(error_of(wary, transport_failure::tls).what(), Catch::Contains("cannot be trusted"));

    std::filesystem::remove(file);
    try {
        client.reload_certificates();
        FAIL("read without a file");
    } catch (const transport_error& missing) {
        CHECK(missing.why() == transport_failure::address);
        CHECK_THAT(missing.what(), Catch::Contains(file));
    }
    error_of(wary, transport_failure::tls);
    at.self.write(file);
    client.reload_certificates();
    CHECK(echo_by(client) == "hi");
}
