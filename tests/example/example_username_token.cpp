// The payroll services with `--username-token`: the sender of a UsernameToken, also together with
// AuthHeaderWithDomain.
#include "example.hpp"

using namespace example;

namespace {

/// EmployeeService for senders of a UsernameToken, over the demo data.
class TokenPayroll {
public:
  explicit TokenPayroll(AuthPolicy policy = AuthPolicy::token)
      : payroll(policy),
        employees_(
            payroll.callers,
            payroll.store,
            [this] {
              return Moment{payroll.clock.wall, {}, {}};
            }),
        dispatcher_(options()) {
    dispatcher_.add(employees_);
  }

  /// The addresses of an employee; `header` is the content of AuthHeaderWithDomain, if there is
  /// one.
  soapsvc::http_response list(
      int employee,
      const std::string& user,
      const std::string& password,
      const std::optional<std::string>& header = {}) {
    const std::string ns = "https://payroll.example.com/soap/v3/EmployeeService";
    const std::string block =
        "<o:Security e:mustUnderstand=\"1\" xmlns:o=\"http://docs.oasis-open.org/wss/2004/01/"
        "oasis-200401-wss-wssecurity-secext-1.0.xsd\"><o:UsernameToken><o:Username>" +
        user + "</o:Username><o:Password>" + password +
        "</o:Password></o:UsernameToken></o:Security>";
    const std::string own =
        header ? "<AuthHeaderWithDomain xmlns=\"" + ns + "\">" + *header + "</AuthHeaderWithDomain>"
               : "";
    const std::string body = "<e:Envelope xmlns:e=\"" + std::string(Payroll::soap11) +
                             "\"><e:Header>" + (user.empty() ? "" : block) + own +
                             "</e:Header><e:Body><Address_GetListCurrent xmlns=\"" + ns +
                             "\"><EmployeeId>" + std::to_string(employee) +
                             "</EmployeeId></Address_GetListCurrent></e:Body></e:Envelope>";
    const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/EmployeeService.asmx";
    request.headers = fields;
    request.body = body;
    request.scheme = scheme;
    return dispatcher_.handle(request);
  }

  Payroll payroll;
  std::string scheme = "https";

private:
  soapsvc::dispatcher_options options() {
    soapsvc::dispatcher_options made;
    made.ns_base = "https://payroll.example.com/soap/v3";
    made.security.check_password = [this](auto user, auto password, const auto& told) {
      return payroll.callers.sender_of(user, password, told);
    };
    return made;
  }

  EmployeeService employees_;
  soapsvc::dispatcher dispatcher_;
};

bool is_served(const soapsvc::http_response& response) {
  INFO(response.body);
  return response.status == 200 && count_of(response.body, "<EmployeeAddress>") == 3;
}

/// Checks that the fault says that a credential failed, without the reason.
bool is_failed(const soapsvc::http_response& response) {
  INFO(response.body);
  return response.status == 500 && count_of(response.body, "wsse:FailedAuthentication<") == 1 &&
         count_of(response.body, "could not be authenticated</faultstring>") == 1;
}

}  // namespace

TEST_CASE("the API token is the password of a UsernameToken", "[username-token]") {
  TokenPayroll payroll;
  CHECK(is_served(payroll.list(1, "alice", "api-token-alice")));
  CHECK(is_served(payroll.list(1, "alice@acme", "api-token-alice")));
  CHECK(
      is_served(payroll.list(1, "ALICE@acme", "api-token-alice")) ==
      is_served(payroll.list(
          1,
          "",
          "",
          "<Username>ALICE</Username><Token>api-token-alice</Token>"
          "<Domain>acme</Domain>")));
}

TEST_CASE("an issued token is a password of a UsernameToken until it expires", "[username-token]") {
  TokenPayroll payroll;
  const std::string token = payroll.payroll.issue();
  CHECK(is_served(payroll.list(1, "alice@acme", token)));
  payroll.payroll.clock.since_boot += 31s;
  CHECK(is_failed(payroll.list(1, "alice@acme", token)));
}

TEST_CASE("every invalid UsernameToken gets the same fault", "[username-token]") {
  TokenPayroll payroll;
  const auto wrong = payroll.list(1, "alice", "wrong");
  CHECK(is_failed(wrong));
  for (const char* user : {"nobody", "alice@globex", "bob@acme", "alice@nowhere", "@acme", "@"})
    CHECK(payroll.list(1, user, "api-token-alice").body == wrong.body);
  CHECK(payroll.list(1, "alice", "correct horse").body == wrong.body);
}

TEST_CASE(
    "an employee of another domain is unknown, with a UsernameToken, too", "[username-token]") {
  TokenPayroll payroll;
  check_refusal(payroll.list(3, "alice", "api-token-alice"), 2003, "Unauthorized access");
  check_refusal(payroll.list(1, "bob", "api-token-bob"), 2003, "Unauthorized access");
}

TEST_CASE(
    "a UsernameToken and AuthHeaderWithDomain of different domains get 1003", "[username-token]") {
  TokenPayroll payroll;
  const std::string user = "alice", token = "api-token-alice";
  CHECK(is_served(payroll.list(1, user, token, "<Domain>acme</Domain>")));
  CHECK(is_served(payroll.list(1, user, token, "")));
  CHECK(is_served(
      payroll.list(1, user, token, "<Username>alice</Username><Token>api-token-alice</Token>")));
  check_refusal(
      payroll.list(1, user, token, "<Domain>globex</Domain>"), 1003, "Unauthorized access");
  check_refusal(
      payroll.list(1, user, token, "<Username>bob</Username><Token>api-token-bob</Token>"),
      1003,
      "Unauthorized access");
  check_refusal(
      payroll.list(1, user, token, "<Domain>nowhere</Domain>"),
      1001,
      "Invalid Authentication",
      false);
}

TEST_CASE("without a UsernameToken nothing changes", "[username-token]") {
  TokenPayroll token;
  check_refusal(
      token.list(1, "", "", "<Domain>acme</Domain>"), 1001, "Invalid Authentication", false);
  check_refusal(token.list(1, "", ""), 1001, "Invalid Authentication", false);
  TokenPayroll domain(AuthPolicy::domain);
  CHECK(is_served(domain.list(1, "", "", "<Domain>acme</Domain>")));
  CHECK(is_served(domain.list(1, "alice", "api-token-alice")));
  check_refusal(domain.list(1, "", "", ""), 1001, "Invalid Authentication", false);
}

TEST_CASE("a UsernameToken is refused without TLS, or without the option", "[username-token]") {
  TokenPayroll payroll;
  payroll.scheme = "http";
  const auto response = payroll.list(1, "alice", "api-token-alice");
  CHECK(response.status == 500);
  CHECK(count_of(response.body, "over TLS only") == 1);
  Payroll plain;
  const auto ignored = plain.send_bytes(
      "EmployeeService",
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Header><Security "
      "e:mustUnderstand=\"1\" xmlns=\"http://docs.oasis-open.org/wss/2004/01/"
      "oasis-200401-wss-wssecurity-secext-1.0.xsd\"/></e:Header><e:Body><Address_GetListCurrent "
      "xmlns=\"https://payroll.example.com/soap/v3/EmployeeService\"/></e:Body></e:Envelope>",
      "text/xml");
  CHECK(count_of(ignored.body, "soap:MustUnderstand") == 1);
}
