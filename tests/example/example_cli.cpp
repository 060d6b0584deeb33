// The command line of payroll: the operator's commands, one line on standard error for each
// mistake, and messages for the service manager. Runs the program that the environment variable
// PAYROLL names.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>

#include <SQLiteCpp/SQLiteCpp.h>

#include "example.hpp"
#include "operate/process.hpp"
#include "payroll.hpp"

using namespace example;

namespace {

/// A socket as systemd gives it to a service: NOTIFY_SOCKET has its path or its abstract name.
class Manager {
public:
  explicit Manager(const std::string& name) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    name.copy(at.sun_path, sizeof at.sun_path - 1);
    if (name[0] == '@') at.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), size) == 0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Manager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(socket_);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// The next datagram; empty if none comes.
  std::string heard(int milliseconds = 10'000) const {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, milliseconds) != 1) return {};
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(::recv(socket_, text.data(), text.size(), 0)));
    return text;
  }

private:
  int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

std::string everything(Shell& shell) {
  std::string lists;
  for (const char* what : {"domain", "user", "employee", "debtor", "webhook"})
    lists += shell.expect(std::string(what) + " list") + '\n';
  return lists;
}

}  // namespace

TEST_CASE("an operator sets up an empty database, and a user signs on", "[cli]") {
  Shell shell;
  CHECK(shell.expect("domain add acme").empty());
  const std::string token = shell.expect("user add acme alice", "correct horse\n");
  CHECK(token.size() == 43);
  CHECK(shell.expect("user list") == "acme\talice\tenabled");
  CHECK(shell.expect("employee add acme") == "1");
  CHECK(shell.expect("employee add --domain acme --id 7") == "7");
  CHECK(shell.expect("employee list") == "acme\t1\nacme\t7");
  CHECK(shell.expect("debtor add acme") == "1");
  CHECK(shell.expect("debtor list") == "acme\t1");
  CHECK(shell.expect("webhook add 1 Runs https://x.example/ --event 1,3") == "1");
  CHECK(shell.expect("webhook list") == "acme\t1\t1\tRuns\thttps://x.example/\tactive\t1,3");

  SqliteStore store(options_for(shell.folder.file("payroll.db")));
  Authenticator callers(store, system_moment, AuthPolicy::token);
  CHECK(callers.token_by_password("alice", "correct horse", "acme", {}).size() == 43);
  CHECK(callers.token_by_api_token("alice", token, {}).size() == 43);
  const std::string rotated = shell.expect("user rotate-token acme alice");
  CHECK_THROWS_AS(callers.token_by_api_token("alice", token, {}), soapsvc::fault);
  CHECK(callers.token_by_api_token("alice", rotated, {}).size() == 43);
  shell.expect("user disable acme alice");
  CHECK(shell.expect("user list") == "acme\talice\tdisabled");
  CHECK_THROWS_AS(callers.token_by_api_token("alice", rotated, {}), soapsvc::fault);
  shell.expect("backup copy.db");
  CHECK(shell.expect("domain list --db copy.db") == "acme");
  shell.expect("domain add globex --db ./a=b@c.db");
}

TEST_CASE("each mistake of an operator is a one-line error with a nonzero exit status", "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  shell.expect("user add acme alice", "x");
  shell.expect("employee add acme");
  shell.expect("debtor add acme");
  shell.expect("debtor add acme 2147483647");
  shell.expect("backup there.db");
  std::ofstream(shell.folder.file("rubbish.db")) << std::string(5000, 'x');
  const std::string before = everything(shell);
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"", "subcommand is required"},
      {"frobnicate", "subcommand is required"},
      {"domain", "subcommand is required"},
      {"address list 1 --domain acme",
       "payroll: there is no such command; did you mean addresses?"},
      {"addresses lits 1 --domain acme", "payroll: there is no such command; did you mean list?"},
      {"serve --prot=80", "; did you mean --port?"},
      {"serve --port 80 --certifcate x", "; did you mean --certificate?"},
      {"domain ad acme", "payroll: there is no such command; did you mean add?"},
      {"serve --bogus", "--bogus"},
      {"serve --port 65536", "--port"},
      {"serve --port x", "--port"},
      {"serve --auth none", "{domain,token}"},
      {"serve --ns-base ''", "--ns-base"},
      {"serve --public-url example.com", "http://"},
      {"serve --db ''", "--db"},
      {"serve --db no/such/a.db", "check that its folder exists"},
      {"serve --db rubbish.db", "choose another file"},
      {"serve --listen 0.0.0.0 --port 0", "--auth token"},
      {"serve --listen 0.0.0.0 --port 0", "--auth domain"},
      {"serve --listen :: --port 0", "--auth"},
      {"serve --public-url https://x.example --port 0", "--auth"},
      {"serve --trusted-proxy 127.0.0.1 --port 0", "--auth"},
      {"serve --trusted-proxy 10.0.0.0/8 --auth token", "'10.0.0.0/8' is not an address"},
      {"serve --trusted-proxy localhost --auth token", "'localhost' is not an address"},
      {"serve --host-name a.example --port 0", "--auth"},
      {"serve --allow-origin https://a.example --port 0", "--auth"},
      {"serve --host-name '[2001:db8::1]' --port 0", "--auth"},
      {"serve --host-name a.example:80", "without a port"},
      {"serve --allow-origin a.example", "https://app.example.com"},
      {"serve --allow-origin https://a.example/", "https://app.example.com"},
      {"serve --listen 192.0.2.1 --auth token", "choose another with --listen"},
      {"domain add acme", "exists already"},
      {"domain add ''", "must not be empty"},
      {"domain add \"$(printf 'a\\377')\"", "UTF-8"},
      {"domain add \"$(printf 'a\\001')\"", "forbids"},
      {"domain add \"$(printf 'a\\tb')\"", "control characters"},
      {"domain list --db missing.db", "payroll domain add"},
      {"domain list --db 'host=h password=s3cret dbnam=x'", "begin the name of a file with ./"},
      {"domain list --db Postgresql://u:s3cret@h/d", "begin the name of a file with ./"},
      {"serve --db u:s3cret@h/d", "begin the name of a file with ./"},
      {"copy --from u:s3cret@h/d --to other.db", "begin the name of a file with ./"},
      {"domain list u:s3cret@h/d", "*** (hidden: it may be a password)"},
      {"user add nowhere bob", "no domain 'nowhere'"},
      {"user add acme alice", "exists already"},
      {"user disable acme nobody", "no such user"},
      {"user rotate-token acme nobody", "no such user"},
      {"employee add nowhere", "no domain"},
      {"employee add acme 1", "exists already"},
      {"debtor add acme", "give an id that is free with --id"},
      {"employee add acme 0", "not in range"},
      {"employee add acme 2147483648", "not in range"},
      {"employee add acme 0x20", "must be a decimal number"},
      {"employee add acme ' 10'", "must be a decimal number"},
      {"serve --port 0x50 --listen 192.0.2.1 --auth token", "must be a decimal number"},
      {"serve --body-bytes 0x10KB --listen 192.0.2.1 --auth token", "must be a decimal number"},
      {"webhook add 1 A http://x --event 0x1", "must be a decimal number"},
      {"webhook add 9 A http://x", "no such debtor"},
      {"webhook add 1 A ftp://x", "http://"},
      {"webhook add 1 A http://x --event 7", "events are 1 to 6"},
      {"webhook add 1 A http://x --event 1,1", "given twice"},
      {"migrate --partitions 4", "--partitions needs PostgreSQL"},
      {"copy --from payroll.db --to payroll.db", "the same database"},
      {"copy --from payroll.db --to ./payroll.db", "the same database"},
      {"backup there.db", "choose another name"},
      {"backup no/such/b.db", "cannot back up"}};
  for (const auto& [arguments, expected] : mistakes) {
    const Outcome outcome = shell.run(arguments, "password\n");
    INFO(arguments << '\n' << outcome.err);
    CHECK(outcome.status > 0);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.rfind("payroll: ", 0) == 0);
    CHECK(count_of(outcome.err, "\n") == 1);
    CHECK(outcome.err.find(expected) != std::string::npos);
    CHECK(outcome.err.find("s3cret") == std::string::npos);
  }
  CHECK(everything(shell) == before);
}

TEST_CASE(
    "a server whose options stay wrong ends with 2, so that systemd starts it once", "[cli]") {
  Shell shell;
  for (const char* options :
       {"--listen 0.0.0.0",
        "--unix socket",
        "--public-url https://x.example",
        "--db u:s3cret@h/d"}) {
    const Outcome outcome = shell.run(std::string("serve --port 0 ") + options);
    INFO(options << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.rfind("payroll: ", 0) == 0);
  }
}

TEST_CASE("numbers with leading zeros are decimal", "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  CHECK(shell.expect("employee add acme 010") == "10");
  CHECK(shell.expect("employee add acme --id 0000144") == "144");
  CHECK(shell.expect("debtor add acme 08") == "8");
  shell.expect("webhook add 08 A http://x --event 01,002 --inactive-event 03");
  CHECK(shell.expect("webhook list") == "acme\t8\t1\tA\thttp://x\tactive\t1,2");
  const Outcome outcome =
      shell.run("serve --port 00 --header-bytes 01024 --listen 192.0.2.1 --auth token");
  CHECK(outcome.err.find("choose another with --listen") != std::string::npos);  // 532 is too few
}

TEST_CASE("help lists each option once", "[cli]") {
  Shell shell;
  const std::string top = shell.expect("--help");
  CHECK(count_of(top, "payroll serve --demo") == 1);
  CHECK(count_of(top, "\nSubcommands that open the database:\n  serve ") == 1);
  CHECK(count_of(top, "\nSubcommands that call a server:\n  token ") == 1);
  CHECK(count_of(shell.expect("domain --help"), "\nSubcommands:\n  add ") == 1);
  CHECK(count_of(shell.expect("token --help"), "`payroll token`") == 0);
  CHECK(count_of(shell.expect("addresses list --help"), "`payroll") == 1);
  for (const char* command :
       {"serve", "domain", "domain add", "user add", "webhook add", "backup", "addresses"})
    CHECK(count_of(shell.expect(std::string(command) + " --help"), "--demo\n") == 0);
  const std::string serve = shell.expect("serve --help");
  CHECK(count_of(serve, "Options:\n") == 1);
  CHECK(count_of(serve, "\nWhere it listens:\n  --listen ") == 1);
  CHECK(count_of(serve, "Option Group") == 0);
  CHECK(count_of(serve, "\n  --key FILE Needs: --certificate\n") == 1);
  CHECK(count_of(serve, "\n  --tcp-delay ") == 1);
  const std::string add = shell.expect("webhook add --help");
  INFO(add);
  CHECK(count_of(add, "Id of the debtor") == 1);
  CHECK(count_of(add, "\n  debtor,--debtor ") == 1);
  CHECK(count_of(add, "--endpoint") == 1);
  CHECK(count_of(add, " [OPTIONS] debtor name endpoint\n") == 1);
  CHECK(count_of(shell.expect("addresses list --help"), "\n  EMPLOYEE ") == 1);
  CHECK(count_of(shell.expect("addresses list --help"), "--demo\n") == 0);
  CHECK(count_of(shell.expect("addresses insert --help"), "(UTC)") == 1);
}

TEST_CASE("help fits in 80 columns", "[cli]") {
  Shell shell;
  for (const char* command :
       {"", "serve", "domain", "user", "user add", "webhook add", "backup", "copy", "addresses"}) {
    std::istringstream lines(shell.expect(std::string(command) + " --help"));
    for (std::string line; std::getline(lines, line);) {
      INFO(command << ": " << line);
      const bool is_name = line.starts_with("  -");  // cannot be wrapped
      CHECK((is_name || line.size() <= 80));
    }
  }
}

TEST_CASE(
    "a command reports its result to standard error, and prints values for scripts to standard "
    "output",
    "[cli]") {
  Shell shell;
  const std::vector<std::array<std::string, 3>> commands{
      {"domain add acme", "", "added domain 'acme' to payroll.db"},
      {"employee add acme", "1\n", "added employee 1 of domain 'acme'"},
      {"debtor add acme", "1\n", "added debtor 1 of domain 'acme'"},
      {"webhook add 1 Runs http://x", "1\n", "added webhook setting 'Runs' of debtor 1"},
      {"backup copy.db", "", "copied payroll.db to copy.db"},
      {"migrate", "", "payroll.db has the tables of this version"},
      {"copy --from payroll.db --to other.db",
       "",
       "copied everything from payroll.db to other.db, and checked the copy"}};
  for (const auto& [arguments, out, done] : commands) {
    const Outcome outcome = shell.run(arguments);
    INFO(arguments);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == out);
    CHECK(outcome.err == "payroll: " + done + '\n');
  }
  const std::string user = "user 'alice' of domain 'acme'\n";
  const auto said = [&](const std::string& arguments) {
    return shell.run(arguments, "password\n").err;
  };
  CHECK(said("user add acme alice").rfind("payroll: added " + user, 0) == 0);
  CHECK(
      said("user rotate-token acme alice").rfind("payroll: replaced the API token of " + user, 0) ==
      0);
  CHECK(said("user disable acme alice") == "payroll: disabled " + user);
}

TEST_CASE("a command whose output cannot be written ends with 1", "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  const auto check = [&](const std::string& arguments, const std::string& expected) {
    const Outcome outcome = shell.run(arguments + " <input >/dev/full 2>err #", "password\n");
    INFO(arguments << '\n' << outcome.err);
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find(expected) != std::string::npos);
    CHECK(outcome.err.find("cannot be shown again") == std::string::npos);
  };
  for (const char* each : {"domain list", "employee add acme", "--help", "--version"})
    check(each, "standard output cannot be written");
  check("user add acme alice", "run `payroll user rotate-token`");
  check("user rotate-token acme alice", "run `payroll user rotate-token`");
  shell.run("user add acme bob <input 2>err | true #", "password\n");  // the hash takes longer
  const std::string said = read_file(shell.folder.file("err"));
  CHECK(said.find("run `payroll user rotate-token`") != std::string::npos);
  CHECK(shell.expect("employee list") == "acme\t1");
}

TEST_CASE("a password comes from standard input, and must be valid", "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  const std::string input =
      GENERATE(as<std::string>{}, "", "\n", "\xff\n", std::string(1025, 'x') + "\n");
  const Outcome outcome = shell.run("user add acme alice", input);
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("password") != std::string::npos);
  CHECK(count_of(outcome.err, "\n") == 1);
  CHECK(shell.expect("user list").empty());
}

TEST_CASE("a command waits longer for the database than a call does", "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  SQLite::Database busy(shell.folder.file("payroll.db"), SQLite::OPEN_READWRITE);
  busy.exec("BEGIN IMMEDIATE");
  std::thread ends([&] {
    std::this_thread::sleep_for(StoreOptions().timeout + 1s);
    busy.exec("COMMIT");
  });
  const Outcome outcome = shell.run("domain add globex");
  ends.join();
  INFO(outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("the commands that set and send a secret read it alike", "[cli]") {
  for (const auto& [text, secret] : std::vector<std::pair<std::string, std::string>>{
           {"a b \r\nc", "a b "},
           {"a\n", "a"},
           {"a\r", "a"},
           {"a", "a"},
           {"a\r\r\n", "a\r"},
           {"\r\n", ""},
           {"", ""}}) {
    std::istringstream in(text);
    CHECK(secret_line(in) == secret);
  }
  Shell shell;
  shell.expect("domain add acme");
  shell.expect("user add acme alice", "correct horse\r\n");
  SqliteStore store(options_for(shell.folder.file("payroll.db")));
  Authenticator callers(store, system_moment, AuthPolicy::token);
  CHECK(callers.token_by_password("alice", "correct horse", "acme", {}).size() == 43);
}

TEST_CASE("the fifth user with one name is refused, with the reason", "[cli]") {
  Shell shell;
  for (const char* domain : {"a", "b", "c", "d", "e"}) {
    shell.expect(std::string("domain add ") + domain);
    const Outcome outcome = shell.run(std::string("user add ") + domain + " alice", "x\n");
    const bool is_fifth = *domain == 'e';
    CHECK(outcome.status == (is_fifth ? 1 : 0));
    const bool says =
        outcome.err.find("4 enabled users in other domains are named 'alice'") != std::string::npos;
    CHECK(says == is_fifth);
  }
  CHECK(shell.expect("user costs") == "65536\t8\t2\tcurrent\tenabled\t4");
  SQLite::Database(shell.folder.file("payroll.db"), SQLite::OPEN_READWRITE)
      .exec("UPDATE user SET scrypt_n = 32768, scrypt_p = 1, disabled = id = 1 WHERE id < 3");
  CHECK(
      shell.expect("user costs") ==
      "32768\t8\t1\told\tenabled\t1\n32768\t8\t1\told\tdisabled\t1\n"
      "65536\t8\t2\tcurrent\tenabled\t2");
}

TEST_CASE(
    "a database that is served is not copied, and a database that is copied is not served",
    "[cli]") {
  Shell shell;
  shell.expect("domain add acme");
  {
    Server server({"--port", "0", "--db", shell.folder.file("payroll.db")}, false);
    const Outcome outcome = shell.run("copy --from payroll.db --to other.db");
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find("payroll serve") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(shell.folder.file("other.db")));
    shell.expect("backup copy.db");
    CHECK(server.stop() == 0);
  }
  {
    SqliteOptions options = options_for(shell.folder.file("payroll.db"));
    options.alone = true;
    const SqliteStore copied(options);
    Server server(
        {"--port", "0", "--db-timeout", "0.2", "--db", shell.folder.file("payroll.db")}, false);
    CHECK(server.wait() == 1);
    CHECK(server.err().find("stop the other program that holds it") != std::string::npos);
  }
  shell.expect("copy --from payroll.db --to other.db");
  CHECK(shell.expect("domain list --db other.db") == "acme");
}

TEST_CASE("a service manager is notified when a server listens and when it stops", "[cli]") {
  const Folder folder;
  const bool is_file = GENERATE(true, false);
  const std::string abstract = "@payroll-test-" + std::to_string(::getpid());
  const Manager manager(is_file ? folder.file("notify") : abstract);
  Server server({"--port", "0"});
  CHECK(manager.heard() == "READY=1");
  server.signal(SIGTERM);
  CHECK(manager.heard() == "STOPPING=1");
  CHECK(server.wait() == 0);
  CHECK(manager.heard(0).empty());
}

TEST_CASE("a server that cannot print its address still serves", "[cli]") {
  const Folder folder;
  const std::string err = "'" + folder.file("err") + "'";
  const std::string command = "\"$PAYROLL\" serve --demo --port 0 >/dev/full 2>" + err +
                              " & for turn in $(seq 500); do grep -q 'standard output' " + err +
                              " && break; sleep 0.02; done; kill $!; wait $!";
  const int status = std::system(command.c_str());
  INFO(read_file(folder.file("err")));
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(count_of(read_file(folder.file("err")), "standard output cannot be written") == 1);
}

TEST_CASE("a service manager is not notified by a server that cannot serve", "[cli]") {
  const Folder folder;
  const Manager manager(folder.file("notify"));
  Server server({"--listen", "192.0.2.1", "--auth", "token"});
  CHECK(server.wait() == 1);
  CHECK(manager.heard(0).empty());
}

TEST_CASE(
    "a server that cannot notify the service manager still serves, and logs the reason", "[cli]") {
  const std::string name =
      GENERATE(as<std::string>{}, "/no/such/socket", "vsock:2:1", "x", std::string(300, '/'));
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  Server server({"--port", "0"});
  ::unsetenv("NOTIFY_SOCKET");
  CHECK(server.says("cannot send to NOTIFY_SOCKET"));
  CHECK(server.stop() == 0);
}
