// The example's services in process: a database in its own folder, clocks that the test sets, and
// requests as bytes through the dispatcher.
#pragma once

#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "auth/auth.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "store/demo.hpp"
#ifdef PAYROLL_POSTGRES
#include "store/postgres/connection.hpp"
#endif
#include "services/sign_on.hpp"
#include "soapsvc.hpp"
#include "store/sqlite/store.hpp"

namespace example {

using namespace std::chrono_literals;

/// A new folder that is removed at the end of the test.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "payroll-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

/// Clocks that stand still until a test sets them.
struct TestClock {
  std::chrono::sys_time<std::chrono::nanoseconds> wall =
      std::chrono::sys_days{std::chrono::year(2026) / 3 / 17} + 10h;
  std::chrono::nanoseconds since_boot = 1000s;
  const char* boot_id = "boot-a";

  void advance(std::chrono::nanoseconds time) {
    wall += time;
    since_boot += time;
  }
};

inline SqliteOptions options_for(const std::string& file) {
  SqliteOptions options;
  options.file = file;
  return options;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The text between the first `<name>` and its end tag; nullopt without such an element.
inline std::optional<std::string> inside(const std::string& xml, const std::string& name) {
  const auto begin = xml.find('<' + name + '>');
  if (begin == std::string::npos) return std::nullopt;
  const auto from = begin + name.size() + 2;
  return xml.substr(from, xml.find("</" + name + '>', from) - from);
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// The children of AuthHeaderWithDomain.
struct Header {
  std::optional<std::string> username;
  std::optional<std::string> token;
  std::optional<std::string> domain;
};
/// The cost of password hashes: a real hash would take longer than most tests.
inline constexpr PasswordCost cheap_cost{64, 8, 2};

inline const Header acme{std::nullopt, std::nullopt, "acme"};
inline const Header globex{std::nullopt, std::nullopt, "globex"};
inline const Header alice{"alice", "api-token-alice", "acme"};

inline std::string element(const std::string& name, const std::optional<std::string>& text) {
  return text ? '<' + name + '>' + *text + "</" + name + '>' : "";
}

/// Returns the one-line reason why the file cannot be used.
inline std::string refusal_of(const SqliteOptions& options) {
  try {
    SqliteStore store(options);
  } catch (const UnusableDatabase& error) {
    return error.what();
  }
  return "accepted";
}

/// The whole example with the demo data.
class Payroll {
public:
  /// `change` may set other options of the database.
  explicit Payroll(
      AuthPolicy policy = AuthPolicy::domain,
      bool serve_deprecated = true,
      const std::function<void(SqliteOptions&)>& change = {})
      : opened_(open_database(change)),
        store(*opened_),
        callers(store, clock_function(), policy, auth_limits()),
        sign_on_(callers),
        employees_(callers, store, clock_function()),
        debtors_(callers, store),
        dispatcher_(host_options(serve_deprecated)) {
    static const Seed seed = demo_data(today(clock_function()), cheap_cost);
    REQUIRE(store.fill(seed));
    dispatcher_.add(sign_on_);
    dispatcher_.add(employees_);
    dispatcher_.add(debtors_);
  }

  /// Sends an operation, in the namespace of its service.
  soapsvc::http_response send(
      const std::string& service,
      const std::string& operation,
      const std::string& children,
      const std::optional<Header>& header = std::nullopt,
      soapsvc::soap_version version = soapsvc::soap_version::v1_1,
      const std::string& peer = "192.0.2.1") {
    const bool old = version == soapsvc::soap_version::v1_1;
    const std::string ns = "https://payroll.example.com/soap/v3/" + service;
    std::string blocks;
    if (header)
      blocks = "<e:Header><AuthHeaderWithDomain xmlns=\"" + ns + "\">" +
               element("Username", header->username) + element("Token", header->token) +
               element("Domain", header->domain) + "</AuthHeaderWithDomain></e:Header>";
    const std::string body = "<e:Envelope xmlns:e=\"" + std::string(old ? soap11 : soap12) + "\">" +
                             blocks + "<e:Body><" + operation + " xmlns=\"" + ns + "\">" +
                             children + "</" + operation + "></e:Body></e:Envelope>";
    return send_bytes(service, body, old ? "text/xml" : "application/soap+xml", peer);
  }

  soapsvc::http_response send_bytes(
      const std::string& service,
      const std::string& body,
      const std::string& media_type,
      const std::string& peer = "192.0.2.1") {
    const std::string target = "/soap/v3/" + service + ".asmx";
    const std::string content_type = media_type + "; charset=utf-8";
    const std::vector<soapsvc::http_header> headers{
        {"Host", "localhost"}, {"Content-Type", content_type}};
    soapsvc::http_request request;
    request.method = "POST";
    request.target = target;
    request.headers = headers;
    request.body = body;
    request.peer = peer;
    if (before_dispatch) before_dispatch();
    return dispatcher_.handle(request);
  }

  /// The WSDL of each service by its name, for a caller with this Host; "": without Host.
  std::map<std::string, std::string> descriptions(
      const std::string& query, const std::string& host = "") {
    const soapsvc::http_header fields[] = {{"Host", host}};
    std::map<std::string, std::string> texts;
    for (const char* name : {"SingleSignOn", "EmployeeService", "DebtorService"}) {
      const std::string target = std::string("/soap/v3/") + name + ".asmx?" + query;
      soapsvc::http_request request;
      request.method = "GET";
      request.target = target;
      if (!host.empty()) request.headers = fields;
      texts[name] = dispatcher_.handle(request).body;
    }
    return texts;
  }

  /// A token for alice, by API token.
  std::string issue() {
    const auto response = send(
        "SingleSignOn", "GetToken2", "<Username>alice</Username><Token>api-token-alice</Token>");
    return inside(response.body, "GetToken2Result").value();
  }

  soapsvc::http_response list(
      int employee,
      const std::optional<Header>& header = acme,
      soapsvc::soap_version version = soapsvc::soap_version::v1_1) {
    const std::string id = "<EmployeeId>" + std::to_string(employee) + "</EmployeeId>";
    return send("EmployeeService", "Address_GetListCurrent", id, header, version);
  }

  soapsvc::http_response insert(
      int employee, const std::string& address, const std::optional<Header>& header = acme) {
    const std::string id = "<EmployeeId>" + std::to_string(employee) + "</EmployeeId>";
    return send("EmployeeService", "Address_InsertCurrent", id + address, header);
  }

  soapsvc::http_response webhooks(int debtor, const std::optional<Header>& header = acme) {
    const std::string id = "<DebtorId>" + std::to_string(debtor) + "</DebtorId>";
    return send("DebtorService", "WebhookSettings_Get", id, header);
  }

  static constexpr const char* soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
  static constexpr const char* soap12 = "http://www.w3.org/2003/05/soap-envelope";

  Folder folder;
  TestClock clock;
  /// For other parts of the example, which share the clock.
  Clock clock_function() {
    return [this] { return Moment{clock.wall, clock.since_boot, clock.boot_id}; };
  }
  std::vector<std::chrono::milliseconds> delays;  ///< the delays of responses
  std::vector<std::string> told;  ///< messages about the database for the operator
  std::vector<std::string> incidents;  ///< what() of unexpected exceptions
  std::vector<std::string> incident_ids;  ///< their ids in the log
  std::function<void()> before_dispatch;  ///< called when the request is ready

private:
  std::mutex mutex_;
  std::unique_ptr<Store> opened_;

public:
  Store& store;
  Authenticator callers;

private:
  /// A file; or a new database on the server that postgres/run names.
  std::unique_ptr<Store> open_database(const std::function<void(SqliteOptions&)>& change) {
#ifdef PAYROLL_POSTGRES
    if (const char* server = std::getenv("PAYROLL_POSTGRES")) {
      REQUIRE(!change);
      static int count = 0;
      const std::string name =
          "services_" + std::to_string(::getpid()) + '_' + std::to_string(++count);
      const auto soon = std::chrono::steady_clock::now() + 20s;
      postgres::Connection(
          postgres::Address(std::string(server) + "postgres").host(0),
          postgres::ServerKind::primary,
          soon)
          .execute("CREATE DATABASE " + name, soon);
      StoreOptions options;
      options.db = server + name;
      return open_store(options);
    }
#endif
    SqliteOptions options = options_for(folder.file("payroll.db"));
    options.tell = [this](const std::string& what) {
      const std::lock_guard lock(mutex_);
      told.push_back(what);
    };
    if (change) change(options);
    return std::make_unique<SqliteStore>(options);
  }

  AuthLimits auth_limits() {
    AuthLimits limits;
    limits.password_cost = cheap_cost;
    limits.sleep = [this](std::chrono::milliseconds delay) {
      const std::lock_guard lock(mutex_);
      delays.push_back(delay);
    };
    return limits;
  }

  soapsvc::dispatcher_options host_options(bool serve_deprecated) {
    soapsvc::dispatcher_options options;
    options.ns_base = "https://payroll.example.com/soap/v3";
    options.serve_deprecated = serve_deprecated;
    options.on_error = [this](const soapsvc::error_report& error) {
      const std::lock_guard lock(mutex_);
      incidents.emplace_back(error.what);
      incident_ids.emplace_back(error.incident);
    };
    return options;
  }

  SingleSignOn sign_on_;
  EmployeeService employees_;
  DebtorService debtors_;
  soapsvc::dispatcher dispatcher_;
};

/// Checks a fault of one of the services: status, text, and typed detail or no detail.
inline void check_refusal(
    const soapsvc::http_response& response,
    int code,
    const std::string& message,
    bool with_detail = true) {
  INFO(response.body);
  const std::string number = std::to_string(code);
  const bool old = response.body.find(Payroll::soap11) != std::string::npos;
  CHECK(response.status == (old ? 500 : 400));
  const std::string text = "Unable to process request. ---&gt; " + number + ": " + message;
  const std::string raw = "Unable to process request. ---> " + number + ": " + message;
  CHECK(count_of(response.body, text) + count_of(response.body, raw) == 1);
  CHECK(count_of(response.body, old ? "soap:Client" : "soap12:Sender") == 1);
  CHECK(inside(response.body, "Code").value_or("none") == (with_detail ? number : "none"));
  CHECK(inside(response.body, "Message").value_or("none") == (with_detail ? message : "none"));
  CHECK(response.body.find("token") == std::string::npos);
}

}  // namespace example
