#include "verify.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>

namespace verify {

namespace {

constexpr const char* base = "http://localhost:8080";

/// The current message: in NAME.request.xml, in NAME.response.xml, and so on.
struct message {
  std::string folder;
  std::string name;
  bool is_12 = false;
  bool is_fault = false;

  std::string in(const char* end) const { return folder + "/in/" + name + end; }
  std::string out(const char* end) const { return folder + "/out/" + name + end; }
};

message under_way;
bool passes_on = false;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view text, bool more = false) {
  std::ofstream file(path, std::ios::binary | (more ? std::ios::app : std::ios::trunc));
  file << text;
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

/// The envelope of a request: the first part of one that a client of `mtom` sends.
std::string envelope_of(const std::string& body) {
  if (!body.starts_with("--")) return body;
  const std::string delimiter = "\r\n" + body.substr(0, body.find("\r\n"));
  const std::size_t begin = body.find("\r\n\r\n") + 4;
  return body.substr(begin, body.find(delimiter, begin) - begin);
}

/// The MessageID of a request; empty without WS-Addressing, so that the response has no RelatesTo.
std::string message_id_of(const std::string& envelope) {
  const std::size_t begin = envelope.find("MessageID");
  if (begin == std::string::npos) return {};
  const std::size_t text = envelope.find('>', begin) + 1;
  return envelope.substr(text, envelope.find('<', text) - text);
}

soapsvc::dispatcher_options host_options() {
  soapsvc::dispatcher_options made;
  made.ns_base = base;
  made.on_error = [](const soapsvc::error_report& error) {
#if defined(VERIFY_VARY)
    vary::told(error.what);
    if (vary::is_begun()) return;
#endif
    if (passes_on) write_file(under_way.out(".error"), std::string(error.what) + '\n', true);
  };
  return made;
}

void describe(const contract& of) {
  soapsvc::dispatcher services{host_options()};
  for (const offered& each : of.services)
    each.to_dispatcher(services);
  std::size_t number = 0;
  for (const offered& each : of.services) {
    soapsvc::http_request request;
    const std::string target = std::string(services.path_of(each.name)) + "?wsdl";
    const soapsvc::http_header host{"Host", "localhost:8080"};
    request.method = "GET";
    request.target = target;
    request.headers = {&host, 1};
    const soapsvc::http_response response = services.handle(request);
    if (response.status != 200) throw std::runtime_error(each.name + ": " + response.body);
    write_file(of.folder + "/served." + std::to_string(number++) + ".wsdl", response.body);
  }
}

/// Sets the current message. Its line is: name, version, "fault" or "response", and further facts
/// for its sender.
void begin(const std::string& folder, std::istream& line) {
  std::string version;
  std::string kind;
  line >> under_way.name >> version >> kind >> std::ws;
  under_way.folder = folder;
  under_way.is_12 = version == "1.2";
  under_way.is_fault = kind == "fault";
}

/// Sends one message. Its line continues with: path, action. `varies`: also sends variants of it.
void pass(
    const soapsvc::dispatcher& services,
    const std::string& folder,
    const std::string& line,
    bool varies) {
  std::istringstream words(line);
  std::string path;
  std::string action;
  begin(folder, words);
  words >> path >> std::ws;
  std::getline(words, action);
#if defined(VERIFY_VARY)
  vary::begin(varies ? &services : nullptr, path, under_way.out(""));
#else
  if (varies) throw std::invalid_argument("this program was made without VERIFY_VARY");
#endif
  const std::string body = read_file(under_way.in(".request.xml"));
  const std::string quoted = '"' + action + '"';
  const std::string type = under_way.is_12 ? "application/soap+xml; charset=utf-8; action=" + quoted
                                           : "text/xml; charset=utf-8";
  const std::vector<soapsvc::http_header> headers{
      {"Host", "localhost:8080"}, {"Content-Type", type}, {"SOAPAction", quoted}};
  soapsvc::http_request request;
  request.target = path;
  request.headers = {headers.data(), headers.size() - (under_way.is_12 ? 1 : 0)};
  request.body = body;
  const soapsvc::http_response response = services.handle(request);
  write_file(under_way.out(".response.xml"), response.body);
  write_file(under_way.out(".status"), std::to_string(response.status));
}

void pass_all(const contract& of, bool varies) {
  soapsvc::dispatcher services{host_options()};
  for (const offered& each : of.services)
    each.to_dispatcher(services);
  std::ifstream list(of.folder + "/in/messages");
#if defined(VERIFY_VARY)
  vary::forget();
#endif
  for (std::string line; std::getline(list, line);)
    pass(services, of.folder, line, varies);
}

/// Serves one contract until it is destroyed.
class server {
public:
  explicit server(const contract& of) : services_(host_options()) {
    for (const offered& each : of.services)
      each.to_host(services_);
    std::cout << services_.bind({"127.0.0.1", 0}) << std::endl;
    thread_ = std::thread([this] { services_.serve(); });
  }
  ~server() {
    services_.stop();
    thread_.join();
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;

private:
  soapsvc::host services_;
  std::thread thread_;
};

/// Executes the lines of standard input, one after the other. Contracts may have equal paths, so
/// only one is served at a time.
void serve(const std::vector<contract>& contracts) {
  std::unique_ptr<server> serving;
  std::string folder;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what >> std::ws;
    if (what == "contract") {
      serving.reset();
      std::getline(words, folder);
      for (const contract& each : contracts)
        if (each.folder == folder) serving = std::make_unique<server>(each);
      if (!serving) throw std::invalid_argument("no contract has the folder " + folder);
    } else {
      passes_on = what == "message";
      if (passes_on) begin(folder, words);
      std::cout << what << std::endl;
    }
  }
}

}  // namespace

void reached(const char* operation) {
  if (passes_on) return;
  throw soapsvc::fault(soapsvc::fault_code::server, std::string(operation) + " is not implemented");
}

soapsvc::http_response other_service(const soapsvc::http_request& request) {
  const std::string sent = envelope_of(std::string(request.body));
  write_file(under_way.out(".request.xml"), sent);
  soapsvc::http_response response;
  response.body = read_file(under_way.in(".response.xml"));
  constexpr std::string_view id = "{MessageID}";
  if (const std::size_t at = response.body.find(id); at != std::string::npos)
    response.body.replace(at, id.size(), message_id_of(sent));
  response.content_type =
      under_way.is_12 ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8";
  response.status = under_way.is_fault ? 500 : response.body.empty() ? 202 : 200;
  return response;
}

soapsvc::client_options options() {
  soapsvc::client_options made;
  made.ns_base = base;
  made.version = under_way.is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
  made.unknown_elements = soapsvc::unknown_elements::refuse;
  return made;
}

int run(int count, char** arguments, const std::vector<contract>& contracts) {
  try {
    const std::string_view what = count == 2 ? arguments[1] : "";
    passes_on = what == "messages" || what == "vary";
    if (what == "describe")
      for (const contract& each : contracts)
        describe(each);
    else if (passes_on)
      for (const contract& each : contracts)
        pass_all(each, what == "vary");
    else if (what == "serve")
      serve(contracts);
    else
      throw std::invalid_argument("describe, messages, vary or serve");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace verify
