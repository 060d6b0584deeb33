// WS-Addressing over sockets: the library never connects to the listener of a ReplyTo, FaultTo,
// From or To. And the typed client over HTTP.
#include <catch2/catch.hpp>

#include "../net.hpp"

namespace {

class Letters {
public:
  std::string say(const net::Words& words) {
    ++said;
    if (words.text == "fail") throw soapsvc::fault(soapsvc::fault_code::client, "refused");
    return words.text.value_or("nothing");
  }
  void tell(const net::Words&) { ++said; }
  std::atomic<int> said{0};
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Letters> = service(
    "Letters",
    addressing,
    operation("Say", &Letters::say),
    operation("Tell", &Letters::tell, one_way));

namespace {

const std::string letters = "http://example.com/soap/Letters";

/// Listens on loopback without accepting: a connection would stay in its queue.
class listener {
public:
  listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (fd_ < 0 || ::bind(fd_, plain, size) != 0 || ::listen(fd_, 16) != 0 ||
        ::getsockname(fd_, plain, &size) != 0)
      throw std::runtime_error("no listener");
    port = ntohs(address.sin_port);
  }
  ~listener() { ::close(fd_); }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  bool was_reached() const {
    pollfd line{fd_, POLLIN, 0};
    return ::poll(&line, 1, 0) != 0;
  }
  int port = 0;

private:
  int fd_;
};

struct versions {
  std::string soap, type, addressing, anonymous;
};

/// In all four combinations of SOAP and WS-Addressing.
std::vector<versions> all_versions() {
  std::vector<versions> made;
  for (const bool v12 : {false, true})
    for (const bool v10 : {false, true}) {
      const std::string of = v10 ? "http://www.w3.org/2005/08/addressing"
                                 : "http://schemas.xmlsoap.org/ws/2004/08/addressing";
      made.push_back(
          {v12 ? "http://www.w3.org/2003/05/soap-envelope"
               : "http://schemas.xmlsoap.org/soap/envelope/",
           v12 ? "application/soap+xml" : "text/xml",
           of,
           of + (v10 ? "/anonymous" : "/role/anonymous")});
    }
  return made;
}

std::string request(
    const versions& in,
    const std::string& operation,
    const std::string& text,
    const std::string& blocks) {
  const std::string body = "<e:Envelope xmlns:e='" + in.soap + "' xmlns:a='" + in.addressing +
                           "'><e:Header><a:Action>" + letters + "/" + operation +
                           "</a:Action><a:MessageID>urn:uuid:1</a:MessageID>" + blocks +
                           "</e:Header><e:Body><" + operation + " xmlns='" + letters + "'><Text>" +
                           text + "</Text></" + operation + "></e:Body></e:Envelope>";
  return "POST /soap/v3/Letters.asmx HTTP/1.1\r\nHost: www.example.com\r\nContent-Type: " +
         in.type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

TEST_CASE("a listener that no ReplyTo ever reaches", "[addressing][sockets]") {
  const listener trap;
  const std::string there = "http://127.0.0.1:" + std::to_string(trap.port) + "/trap";
  Letters box;
  {
    net::server server(net::quick_options(), false);
    server.host.add(box);
    server.serve();
    net::client caller(server.port);
    for (const versions& in : all_versions()) {
      const auto endpoint = [](const std::string& name, const std::string& address) {
        return "<a:" + name + "><a:Address>" + address + "</a:Address></a:" + name + ">";
      };
      const std::string to = "<a:To>" + there + "</a:To>";
      const std::string from = endpoint("From", there);
      const std::string back = endpoint("ReplyTo", in.anonymous);
      for (const char* name : {"ReplyTo", "FaultTo"})
        for (const char* operation : {"Say", "Tell"})
          for (const char* text : {"x", "fail"}) {
            const int before = box.said;
            caller.send(request(in, operation, text, endpoint(name, there)));
            const auto got = caller.read();
            INFO(got.body);
            CHECK((got.status == 500 || got.status == 400));
            CHECK(got.holds("is refused; allowed is"));
            CHECK(box.said == before);  // no call is carried out
          }
      // From and To do not request a response there.
      CHECK(caller.send(request(in, "Say", "x", to + from + back)).read().holds("x</"));
      CHECK(caller.send(request(in, "Say", "fail", to + from + back)).read().holds("refused"));
      CHECK(caller.send(request(in, "Tell", "x", to + from)).read().status == 202);
    }
  }  // all threads of the host have ended, so no connection can follow
  CHECK_FALSE(trap.was_reached());
  const net::client self(trap.port);
  CHECK(trap.was_reached());  // it can be reached
}

TEST_CASE("a client speaks WS-Addressing over HTTP", "[addressing][sockets]") {
  Letters box;
  net::server server(net::quick_options(), false);
  server.host.add(box);
  server.serve();
  const std::string url =
      "http://127.0.0.1:" + std::to_string(server.port) + "/soap/v3/Letters.asmx";
  for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2})
    for (const auto speaks :
         {soapsvc::addressing_version::v1_0, soapsvc::addressing_version::v2004_08}) {
      soapsvc::client_options options;
      options.ns_base = "http://example.com/soap";
      options.version = version;
      options.addressing = speaks;
      soapsvc::client<Letters> client(url, options);
      CHECK(client.call(&Letters::say, {"hi"}) == "hi");
      CHECK_NOTHROW(client.call(&Letters::tell, {"hi"}));
      CHECK_THROWS_AS(client.call(&Letters::say, {"fail"}), soapsvc::remote_fault);
    }
}
