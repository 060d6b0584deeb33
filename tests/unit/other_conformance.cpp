// The tests of conformance to SOAP and the Basic Profile, behind cpp-httplib: linked with their
// test cases, whose requests it sends over a socket.
#include <catch2/catch.hpp>

#include "../carrier.hpp"
#include "mounted.hpp"

using namespace net;

namespace {

std::atomic<int> carried{0};

/// A connection and a server for each: a case may add services before each request.
std::string answer_of(const soapsvc::dispatcher& services, const std::string& request) {
  httplib::Server server;
  soapsvc::mount(server, services);
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&server] { server.listen_after_bind(); });
  const bool serves = eventually([&server] { return server.is_running(); });
  client caller(port);
  std::string answer;
  if (serves && caller.try_send(request)) answer = caller.read_to_end();
  server.stop();
  serving.join();
  return answer;
}

/// The lines of the body, which no view of the request keeps.
std::string written(const soapsvc::http_request& request) {
  std::string text = std::string(request.method) + ' ' + std::string(request.target) +
                     " HTTP/1.1\r\nConnection: close\r\n";
  for (const soapsvc::http_header& field : request.headers)
    text.append(field.name).append(": ").append(field.value).append("\r\n");
  if (!request.header("Host")) text += "Host: localhost\r\n";
  if (request.method == "POST" || !request.body.empty())
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return text.append("\r\n").append(request.body);
}

std::string without_chunks(std::string_view text) {
  std::string all;
  for (std::size_t size = 1; size != 0 && !text.empty();) {
    const std::size_t end = text.find("\r\n");
    size = std::stoul(std::string(text.substr(0, end)), nullptr, 16);
    all += text.substr(end + 2, size);
    text.remove_prefix(std::min(text.size(), end + 2 + size + 2));
  }
  return all;
}

soapsvc::http_response read(const std::string& answer) {
  soapsvc::http_response response;
  const std::size_t end = answer.find("\r\n\r\n");
  if (end == answer.npos) throw std::runtime_error("no response: " + answer);
  response.status = std::stoi(answer.substr(9, 3));
  response.body = answer.substr(end + 4);
  std::istringstream lines(answer.substr(0, end + 2));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    const std::string name = line.substr(0, colon);
    const std::string value = line.substr(colon + 2, line.size() - colon - 3);
    if (name == "Content-Type")
      response.content_type = value;
    else if (name == "Transfer-Encoding")
      response.body = without_chunks(response.body);
    else if (name != "Content-Length" && name != "Connection" && name != "Keep-Alive")
      response.headers.emplace_back(name, value);
  }
  return response;
}

soapsvc::http_response carry_by_httplib(
    const soapsvc::dispatcher& services, const soapsvc::http_request& request) {
  ++carried;
  return read(answer_of(services, written(request)));
}

const bool is_set = (support::carrier = carry_by_httplib) != nullptr;

}  // namespace

TEST_CASE("conformance is tested over the other server", "[other-server]") {
  CHECK(is_set);
  Desk desk;
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  services.add(desk);
  soapsvc::http_request request;
  const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
  const std::string body = echo("carried");
  request.target = path;
  request.headers = fields;
  request.body = body;
  const soapsvc::http_response response = support::carry(services, request);
  CHECK(response.status == 200);
  CHECK(response.body.find("carried") != std::string::npos);
  CHECK(carried > 0);
}
