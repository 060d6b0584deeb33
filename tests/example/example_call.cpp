// The commands that call a server: their output and their errors, against a running payroll.
#include <netinet/in.h>
#include <pty.h>
#include <sys/socket.h>
#include <termios.h>

#include <cstring>

#include "../net.hpp"

#include "cli/print.hpp"
#include "payroll.hpp"

using namespace example;

namespace {

/// A payroll that serves the demo, and a shell for commands that call it.
struct Caller {
  explicit Caller(const std::vector<std::string>& options = {"--port", "0"})
      : server(options), url("http://127.0.0.1:" + std::to_string(server.port)) {}

  Outcome run(const std::string& arguments, const std::string& input = "") {
    return shell.run(with_url(arguments), input);
  }
  std::string expect(const std::string& arguments, const std::string& input = "") {
    return shell.expect(with_url(arguments), input);
  }
  std::string with_url(const std::string& arguments) const { return arguments + " --url " + url; }

  Server server;
  Shell shell;
  std::string url;
};

/// Sets an environment variable during its lifetime.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
};

/// A SingleSignOn whose results are absent, which its WSDL allows.
class WithoutToken {
public:
  std::optional<std::string> get_token2(const GetToken2& /*request*/) { return std::nullopt; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<WithoutToken> =
    service("SingleSignOn", operation("GetToken2", &WithoutToken::get_token2));

// --- Printing ------------------------------------------------------------------------------------

TEST_CASE("text for a terminal contains no control sequences", "[print]") {
  CHECK(
      terminal_text("plain, K\xc3\xb6nigsallee \xe6\x97\xa5") ==
      "plain, K\xc3\xb6nigsallee \xe6\x97\xa5");
  CHECK(terminal_text("a\x1b[31m\r\n\t\x7f") == "a\\x1b[31m\\x0d\\x0a\\x09\\x7f");
  CHECK(terminal_text("\xc2\x9b") == "\\u009b");  // the control character that ESC [ stands for
  CHECK(
      terminal_text("\xe2\x80\xae"
                    "abc") ==
      "\\u202e"
      "abc");  // written from right to left
  CHECK(terminal_text("\xe2\x81\xa7") == "\\u2067");
  CHECK(terminal_text("\xff\xc3") == "\\xff\\xc3");
  CHECK(terminal_text(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("\xc3\xa9") == 1);
  CHECK(columns_of("e\xcc\x81") == 1);  // an accent of its own
  CHECK(columns_of("\xe6\x97\xa5\xe6\x9c\xac") == 4);  // wide
}

TEST_CASE("a table is aligned by visible width", "[print]") {
  const std::vector<Event> events{
      {1, "\xc3\xa9t\xc3\xa9", true},
      {20, std::nullopt, false},
      {3, "", true},
      {4, "\xe6\x97\xa5", true}};
  std::ostringstream out;
  print(out, table_of(events));
  CHECK(
      out.str() ==
      "EventId  EventName  Active\n"
      "      1  \xc3\xa9t\xc3\xa9        yes\n"
      "     20  -          no\n"
      "      3  \"\"         yes\n"
      "      4  \xe6\x97\xa5         yes\n");
}

TEST_CASE("JSON has the names of the wire, numbers as numbers and null for absent", "[print]") {
  CHECK(
      json(std::vector<Event>{{-2147483647 - 1, std::nullopt, true}, {1, "a\"\\\n", false}}) ==
      "[{\"EventId\":-2147483648,\"EventName\":null,\"Active\":true},"
      "{\"EventId\":1,\"EventName\":\"a\\\"\\\\\\u000a\",\"Active\":false}]");
  CHECK(json(std::vector<Event>{}) == "[]");
  CHECK(json(AddressType::holidays) == "\"HolidaysAddress\"");
}

// --- Calls ---------------------------------------------------------------------------------------

TEST_CASE("addresses and webhooks are listed as a table and as JSON", "[call]") {
  Caller caller;
  const std::string table =
      "Id  Default  Street         HouseNumber  HouseNumberAddition  PostalCode  City        "
      "StateProvince  CountryISOCode  Type\n"
      " 1  yes      Keizersgracht  12           A                    1015 CJ     Amsterdam   "
      "Noord-Holland  NL              HomeAddress\n"
      " 2  no       Postbus        345          -                    1000 AH     Amsterdam   "
      "Noord-Holland  NL              PostAddress\n"
      " 3  no       K\xc3\xb6nigsallee    60           3. Etage             40212       "
      "D\xc3\xbcsseldorf  \"\"             DE              WorkAddress";
  for (const char* version : {"1.1", "1.2"}) {
    const std::string soap = std::string(" --soap ") + version;
    CHECK(caller.expect("addresses list 1 --domain acme" + soap) == table);
    const std::string json = caller.expect("addresses list 1 --domain acme --json" + soap);
    CHECK(
        json.rfind(
            R"([{"Id":1,"Default":true,"Street":"Keizersgracht","HouseNumber":"12",)"
            R"("HouseNumberAddition":"A","PostalCode":"1015 CJ","City":"Amsterdam",)"
            R"("StateProvince":"Noord-Holland","CountryISOCode":"NL","Type":"HomeAddress"},)"
            R"({"Id":2,"Default":false,)",
            0) == 0);
    CHECK(json.find(R"("HouseNumberAddition":null)") != json.npos);
    CHECK(json.find(R"("StateProvince":"","CountryISOCode":"DE")") != json.npos);
  }
  CHECK(
      caller.expect("webhooks 1 --domain acme") ==
      "WebhookSettingId  Name          Endpoint                                Active  Event\n"
      "               1  Payroll runs  https://hooks.example.com/acme/runs     yes     "
      "1 Run Finish, 2 Journals Finish (inactive)\n"
      "               2  Archive       https://hooks.example.com/acme/archive  no      -");
  CHECK(
      caller.expect("webhooks 1 --domain acme --json") ==
      R"([{"WebhookSettingId":1,"Name":"Payroll runs","Endpoint":)"
      R"("https://hooks.example.com/acme/runs","Active":true,"Event":[{"EventId":1,"EventName":)"
      R"("Run Finish","Active":true},{"EventId":2,"EventName":"Journals Finish","Active":false}]},)"
      R"({"WebhookSettingId":2,"Name":"Archive","Endpoint":)"
      R"("https://hooks.example.com/acme/archive","Active":false,"Event":[]}])");
  CHECK(caller.expect("addresses list 2 --domain acme --json") == "[]");
  CHECK(caller.expect("webhooks 2 --domain acme").find('\n') == std::string::npos);
  CHECK(count_of(caller.expect("addresses list 100 --domain acme"), "\n") == 100);
  CHECK(count_of(caller.expect("addresses list 0100 --domain acme"), "\n") == 100);  // not octal
}

TEST_CASE("an inserted address is listed as it was given", "[call]") {
  Caller caller;
  const std::string id = caller.expect(
      "addresses insert 2 --domain acme --type WeekendAddress --default --street '' --city "
      "\"$(printf 'M\\303\\274nchen \\302\\233\\342\\200\\256\\t<&>\\042\\134')\" --country '  x "
      "'");
  CHECK(
      caller.expect("addresses list 2 --domain acme --json") ==
      "[{\"Id\":" + id +
          ",\"Default\":true,\"Street\":\"\",\"HouseNumber\":null,\"HouseNumberAddition\":null,"
          "\"PostalCode\":null,\"City\":\"M\xc3\xbcnchen "
          "\\u009b\xe2\x80\xae\\u0009<&>\\\"\\\\\","
          "\"StateProvince\":null,\"CountryISOCode\":\"  x \",\"Type\":\"WeekendAddress\"}]");
  const std::string table = caller.expect("addresses list 2 --domain acme");
  CHECK(table.find("M\xc3\xbcnchen \\u009b\\u202e\\x09<&>\"\\") != table.npos);
  CHECK(
      caller.expect("addresses insert 2 --domain acme --type HomeAddress --json") ==
      "{\"Id\":" + std::to_string(std::stoi(id) + 1) + "}");
}

TEST_CASE("an option that ends with = has an empty value, not the next option's name", "[call]") {
  Caller caller;
  caller.expect("addresses insert 2 --domain acme --type HomeAddress --street= --default --city=");
  const std::string listed = caller.expect("addresses list 2 --domain acme --json");
  CHECK(listed.find("\"Default\":true,\"Street\":\"\",") != listed.npos);
  CHECK(listed.find("\"City\":\"\",") != listed.npos);
  caller.shell.expect("domain add --db own.db -- --b=");  // after -- no word is an option
  CHECK(caller.shell.expect("domain list --db own.db") == "--b=");
}

TEST_CASE("a token is issued for an API token or a password, and calls accept it", "[call]") {
  Caller caller({"--port", "0", "--auth", "token"});
  std::ofstream(caller.shell.folder.file("token")) << "api-token-alice\r\nmore";
  std::ofstream(caller.shell.folder.file("password")) << "correct horse";
  const std::vector<std::string> ways{
      "--token-file token",
      "--token-file token --soap 1.2",
      "--password-file password",
      "--password --password-file password --domain acme",
      "--password-file password --domain acme --soap 1.2"};
  for (const std::string& way : ways) {
    const std::string token = caller.expect("token --user alice " + way);
    CHECK(token.size() == 43);
    const Variable issued("PAYROLL_TOKEN", token.c_str());
    CHECK(count_of(caller.expect("addresses list 1 --user alice"), "\n") == 3);
  }
  CHECK(caller.expect("token --user alice --token-file -", "api-token-alice\n").size() == 43);
  const std::string json = caller.expect("token --user alice --token-file token --json");
  CHECK(json.rfind("{\"Token\":\"", 0) == 0);
  CHECK(json.size() == 43 + 12);
  const Variable user("PAYROLL_USER", "alice");
  const Variable token("PAYROLL_TOKEN", "api-token-alice");
  const Variable domain("PAYROLL_DOMAIN", "acme");
  const Variable url("PAYROLL_URL", caller.url.c_str());
  CHECK(count_of(caller.shell.expect("webhooks 1"), "\n") == 2);
  const Outcome refused = caller.run("webhooks 1 --domain globex");
  CHECK(refused.status == 1);
  CHECK(refused.err.find("1003: Unauthorized access") != std::string::npos);
}

// A script took the empty line for a token.
TEST_CASE("a token that the service does not return is a failure", "[call]") {
  WithoutToken none;
  soapsvc::host host{{.ns_base = "https://payroll.example.com/soap/v3"}};
  host.add(none);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });
  Shell shell;
  const auto ask = [&](const std::string& options) {
    return shell.run(
        "token --user alice --token-file - --url http://127.0.0.1:" + std::to_string(port) +
            options,
        "api-token-alice\n");
  };
  const Outcome plain = ask("");
  const Outcome json = ask(" --json");
  host.stop();
  serving.join();
  CHECK(plain.status == 1);
  CHECK(plain.out.empty());
  CHECK(plain.err == "payroll: the service returned no token\n");
  CHECK(json.status == 0);
  CHECK(json.out == "{\"Token\":null}\n");
}

// --- Failures ------------------------------------------------------------------------------------

TEST_CASE("a fault is printed with its code and path, and the exit status is 1", "[call]") {
  Caller caller;
  Outcome outcome = caller.run("addresses list 99 --domain acme");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK(
      outcome.err ==
      "payroll: the service refused: Unable to process request. ---> 2003: Unauthorized access "
      "(client fault, code 2003)\n");
  outcome = caller.run("webhooks 99 --domain acme --json --soap 1.2");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK(
      outcome.err ==
      "{\"error\":\"fault\",\"fault\":\"client\",\"reason\":\"Unable to process request. ---> "
      "2009: Unauthorized access\",\"http_status\":400,\"detail\":{\"Code\":2009,\"Message\":"
      "\"Unauthorized access\"}}\n");
  outcome = caller.run("addresses list 1 --domain nowhere --json");
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("\"detail\":null") != std::string::npos);  // 1.1: about a header
  outcome = caller.run("addresses list 1 --domain acme --ns-base urn:other");
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("Body: 'Address_GetListCurrent'") != std::string::npos);
}

TEST_CASE("a wrong command line is a one-line error, and the exit status is 2", "[call]") {
  Caller caller;
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"addresses", "subcommand is required"},
      {"addresses list --domain acme", "EMPLOYEE is required"},
      {"addresses list x --domain acme", "EMPLOYEE"},
      {"addresses list 0x1 --domain acme", "must be a decimal number"},
      {"addresses list 2147483648 --domain acme", "EMPLOYEE"},
      {"addresses list 1", "--domain, --user or both"},
      {"addresses list 1 --user alice", "--token-file FILE"},
      {"addresses list 1 --domain acme --token-file x", "--token-file needs --user"},
      {"addresses list 1 --user alice --token-file none",
       "cannot read none: No such file or directory"},
      {"addresses list 1 --user alice --token-file -",
       "no password or token in the first line of -"},
      {"addresses list 1 --domain acme --soap 1.3", "{1.1,1.2}"},
      {"addresses list 1 --domain acme --timeout 0", "--timeout"},
      {"addresses list 1 --domain acme --ca-file none", "--ca-file"},
      {"addresses insert 1 --domain acme", "--type is required"},
      {"addresses insert 1 --domain acme --type Home", "HomeAddress"},
      {"addresses insert 1 --domain acme --type HomeAddress --city \"$(printf '\\001')\"", "XML"},
      {"webhooks --domain acme", "DEBTOR is required"},
      {"token", "--user is required"},
      {"token --user alice", "PAYROLL_TOKEN"},
      {"token --user alice --password", "PAYROLL_PASSWORD"},
      {"token --user alice --token api-token-alice", "--token"}};
  for (const auto& [arguments, expected] : mistakes) {
    const Outcome outcome = caller.run(arguments);
    INFO(arguments << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.rfind("payroll: ", 0) == 0);
    CHECK(count_of(outcome.err, "\n") == 1);
    CHECK(outcome.err.find(expected) != std::string::npos);
  }
  CHECK(caller.shell.run("webhooks 1 --domain acme --url example.com").status == 2);
}

TEST_CASE("without a response of a service, the exit status is 3", "[call]") {
  Caller caller;
  Outcome outcome = caller.run("addresses list 1 --domain acme --base-path /elsewhere");
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("HTTP 404") != std::string::npos);
  CHECK(outcome.err.find("without a SOAP envelope") != std::string::npos);
  CHECK(caller.server.stop() == 0);
  outcome = caller.run("addresses list 1 --domain acme");
  CHECK(outcome.status == 3);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("cannot be reached") != std::string::npos);
  CHECK(outcome.err.find("nothing was sent") != std::string::npos);
  outcome = caller.run("webhooks 1 --domain acme --json");
  CHECK(outcome.status == 3);
  CHECK(outcome.err.rfind("{\"error\":\"transport\",\"why\":\"connect\",", 0) == 0);
  CHECK(
      outcome.err.find("\"http_status\":null,\"may_have_arrived\":false}\n") != std::string::npos);

  // Listens, and never responds.
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(silent, any, size) == 0);
  REQUIRE(::listen(silent, 4) == 0);
  ::getsockname(silent, any, &size);
  outcome = caller.shell.run(
      "addresses insert 1 --domain acme --type HomeAddress --timeout 0.3 --url "
      "http://127.0.0.1:" +
      std::to_string(ntohs(address.sin_port)));
  ::close(silent);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("the service may have carried out the call") != std::string::npos);
}

TEST_CASE("JSON names the reason of a transport error as transport_failure does", "[call]") {
  Caller caller;
  const Outcome outcome =
      caller.run("addresses list 1 --domain acme --base-path /elsewhere --json");
  CHECK(outcome.status == 3);
  CHECK(outcome.err.rfind("{\"error\":\"transport\",\"why\":\"response\",", 0) == 0);
}

TEST_CASE("a certificate is checked, unless --insecure is given", "[call]") {
  Folder folder;
  const std::string file = folder.file("cert.pem");
  net::identity("127.0.0.1").write(file);
  Caller caller({"--port", "0", "--certificate", file});
  const std::string list = "addresses list 1 --domain acme --url https://127.0.0.1:" +
                           std::to_string(caller.server.port);
  const Outcome outcome = caller.shell.run(list + " --json");
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("\"why\":\"tls\"") != std::string::npos);
  CHECK(outcome.err.find("\"may_have_arrived\":false") != std::string::npos);
  CHECK(count_of(caller.shell.expect(list + " --ca-file '" + file + "'"), "\n") == 3);
  CHECK(count_of(caller.shell.expect(list + " --insecure"), "\n") == 3);
}

TEST_CASE("a server that requests a client certificate gets one", "[call]") {
  Folder folder;
  const std::string file = folder.file("cert.pem");
  net::identity("127.0.0.1").write(file);
  Caller caller({"--port", "0", "--certificate", file, "--client-ca", file});
  const std::string list = "addresses list 1 --domain acme --ca-file '" + file +
                           "' --url https://127.0.0.1:" + std::to_string(caller.server.port);
  CHECK(caller.shell.run(list).status == 3);
  CHECK(count_of(caller.shell.expect(list + " --certificate '" + file + "'"), "\n") == 3);
  const std::string pair = " --certificate '" + file + "' --key '" + file + "'";
  CHECK(count_of(caller.shell.expect(list + pair), "\n") == 3);
  CHECK(caller.shell.run(list + " --key '" + file + "'").status == 2);
}

// --- At a terminal -------------------------------------------------------------------------------

namespace {

/// The program at its own terminal.
class Terminal {
public:
  explicit Terminal(std::vector<std::string> words) {
    words.insert(words.begin(), std::getenv("PAYROLL"));
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::forkpty(&fd_, nullptr, nullptr, nullptr);
    if (pid_ == -1) why_not_ = std::strerror(errno);
    if (pid_ == 0) {
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
  }
  ~Terminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (fd_ != -1) ::close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// False if the system has no terminals, as in some containers. It then says that `what` is not
  /// checked.
  bool is_there(const char* what) const {
    if (why_not_.empty()) return true;
    WARN("not checked, for there is no pseudo-terminal here (" << why_not_ << "): " << what);
    return false;
  }

  /// True if the program writes this within a minute.
  bool says(const std::string& text) {
    for (int turn = 0; turn != 3'000 && seen.find(text) == std::string::npos; ++turn) {
      pollfd wait{fd_, POLLIN, 0};
      if (::poll(&wait, 1, 20) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(fd_, bytes, sizeof bytes);
      if (count <= 0) break;
      seen.append(bytes, static_cast<std::size_t>(count));
    }
    return seen.find(text) != std::string::npos;
  }
  void type(const std::string& text) {
    CHECK(::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  bool echoes() const {
    termios now{};
    ::tcgetattr(fd_, &now);
    return (now.c_lflag & ECHO) != 0;
  }
  /// Exit status; 128 and more for signals; -1: it did not end.
  int wait() {
    int status = 0;
    if (!comes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string seen;

private:
  int fd_ = -1;
  pid_t pid_ = -1;
  std::string why_not_;
};

}  // namespace

TEST_CASE("the prompt for a secret does not echo it", "[call][terminal]") {
  Caller caller;
  Terminal terminal({"token", "--user", "alice", "--url", caller.url});
  if (!terminal.is_there("that a secret is asked for and not shown")) return;
  REQUIRE(terminal.says("API token: "));
  CHECK_FALSE(terminal.echoes());
  terminal.type("api-token-alice\n");
  CHECK(terminal.wait() == 0);
  terminal.says("all that is left to read");
  CHECK(terminal.seen.size() == std::strlen("API token: \r\n") + 43 + 2);
  CHECK(terminal.seen.find("api-token") == std::string::npos);
}

TEST_CASE("Ctrl-C at a prompt ends the program and restores the echo", "[call][terminal]") {
  Shell shell;
  shell.expect("domain add acme");
  const std::string db = shell.folder.file("payroll.db");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"token", "--user", "alice"},
        std::vector<std::string>{"token", "--user", "alice", "--password"},
        std::vector<std::string>{"user", "add", "acme", "alice", "--db", db}}) {
    Terminal terminal(words);
    if (!terminal.is_there("that Ctrl-C at a question ends the program")) continue;
    REQUIRE(terminal.says(": "));
    REQUIRE(comes_true([&] { return !terminal.echoes(); }));
    terminal.type("half a secret\x03");
    CHECK(terminal.wait() == 128 + SIGINT);
    CHECK(terminal.echoes());
    CHECK(terminal.seen.find("half") == std::string::npos);
  }
}
