// A whole request to the example's services ([dispatch] and all that it uses), over stores in
// memory. The input is a request as text (fuzz.hpp).
//
// Promised: the response is valid by SOAP and HTTP, bounded, in the request's version, and
// readable. No fault and no log contains a secret. A result that the typed client reads, and that a
// store returns again, is equal to the byte.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <openssl/evp.h>

#include "auth/auth.hpp"
#include "fuzz.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "services/sign_on.hpp"
#include "soapsvc.hpp"
#include "store/store.hpp"

namespace {

using namespace soapsvc::detail;
using fuzz::contains;
using fuzz::count_of;
using fuzz::require;
using soapsvc::soap_version;

/// Planted by seeds and dictionary as password and token; is the right one.
const std::string secret = "S3cr3tZq7";
const std::string ns_base = "urn:payroll";
const std::string base_path = "/soap/v3";

// --- Stores in memory ----------------------------------------------------------------------------

PasswordHash cheap_hash(const std::string& password) {
  PasswordHash made;
  made.salt = "0123456789abcdef";
  made.cost = 2;
  made.block_size = 1;
  made.parallelisation = 1;
  made.hash.resize(32);
  const auto* salt = reinterpret_cast<const unsigned char*>(made.salt.data());
  auto* hash = reinterpret_cast<unsigned char*>(made.hash.data());
  const int done = EVP_PBE_scrypt(
      password.data(), password.size(), salt, made.salt.size(), 2, 1, 1, 0, hash, 32);
  require(done == 1, "scrypt works");
  return made;
}

/// One domain, one user, employee 1 and debtor 1. The target sets the lists.
class Memory final : public UserStore, public AddressStore, public WebhookStore {
public:
  std::optional<DomainId> find_domain(const std::string& name) override {
    return name == "acme" ? std::optional(DomainId{1}) : std::nullopt;
  }
  TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) override {
    TokenFacts facts{domain ? find_domain(*domain) : std::nullopt, {}};
    if (token == digest_) facts.holders.push_back({1, DomainId{1}, "alice", digest_, {}});
    return facts;
  }
  /// Always a user, because the hash for an unknown user's password is expensive.
  PasswordFacts find_passwords(
      const std::optional<std::string>& domain, const std::string& user, std::size_t) override {
    const PasswordHash& hash = user == "alice" ? password_ : nobody_;
    return {domain ? find_domain(*domain) : std::nullopt, {{1, DomainId{1}, hash}}};
  }
  bool add_token(const IssuedToken&, std::chrono::nanoseconds) override { return true; }
  void renew_password(DomainId, std::int64_t, const PasswordHash&) override {}

  std::optional<std::vector<EmployeeAddress>> list_current(
      DomainId, std::int32_t employee_id, std::chrono::sys_days) override {
    return employee_id == 1 ? std::optional(addresses) : std::nullopt;
  }
  std::optional<std::int32_t> insert_current(
      DomainId,
      std::int32_t employee_id,
      const EmployeeAddress& address,
      std::chrono::sys_days,
      std::chrono::sys_days) override {
    if (employee_id != 1) return std::nullopt;
    inserted = address;
    return next_id;
  }
  std::optional<std::vector<WebhookSetting>> list_webhooks(
      DomainId, std::int32_t debtor_id) override {
    return debtor_id == 1 ? std::optional(webhooks) : std::nullopt;
  }

  std::vector<EmployeeAddress> addresses;
  std::vector<WebhookSetting> webhooks;
  std::optional<EmployeeAddress> inserted;
  std::int32_t next_id = 7;

private:
  Digest digest_ = digest_of(secret);
  PasswordHash password_ = cheap_hash(secret);
  PasswordHash nobody_ = cheap_hash("");
};

std::vector<EmployeeAddress> usual_addresses() {
  EmployeeAddress full{
      4, true, "Main <St> & \"co\"", "1", "", " 10 ", "\xC3\x89vry\r\n", "]]>", "NL", {}};
  EmployeeAddress bare;
  bare.type = AddressType::work;
  return {full, bare};
}
std::vector<WebhookSetting> usual_webhooks() {
  return {
      {1,
       "Payroll runs",
       "https://a.example/?a=1&b=2",
       true,
       {{1, "Run Finish", true}, {2, {}, false}}},
      {2, "", std::nullopt, false, {}}};
}

// --- The services --------------------------------------------------------------------------------

/// The reports of the last request.
struct heard {
  std::string reason, request, response;
  int calls = 0, incidents = 0, status = 0;
};

class world {
public:
  explicit world(soapsvc::unknown_elements unknown, AuthPolicy policy)
      : callers_(memory, clock, policy, auth_limits()),
        sign_on_(callers_),
        employees_(callers_, memory, clock),
        debtors_(callers_, memory),
        services(options(unknown)) {
    services.add(sign_on_);
    services.add(employees_);
    services.add(debtors_);
  }

  Memory memory;
  heard last;

private:
  static Moment clock() {
    using namespace std::chrono;
    return {sys_days{2026y / 3 / 17}, seconds(1'000), "boot"};
  }
  static AuthLimits auth_limits() {
    AuthLimits limits;
    limits.failures_remembered = 16;
    limits.sleep = [](std::chrono::milliseconds) {};
    return limits;
  }
  soapsvc::dispatcher_options options(soapsvc::unknown_elements unknown) {
    soapsvc::dispatcher_options made;
    made.ns_base = ns_base;
    made.base_path = base_path;
    made.unknown_elements = unknown;
    made.limits.max_body_bytes = 16'384;
    made.trusted_proxies = {"192.0.2.1"};
    made.on_call = [this](const soapsvc::call_report& report) {
      ++last.calls;
      last.reason = report.fault_reason;
      last.status = report.http_status;
    };
    made.on_error = [this](const soapsvc::error_report&) { ++last.incidents; };
    made.on_message = [this](const soapsvc::message_report& report) {
      last.request = report.request;
      last.response = report.response;
    };
    return made;
  }

  Authenticator callers_;
  SingleSignOn sign_on_;
  EmployeeService employees_;
  DebtorService debtors_;

public:
  soapsvc::dispatcher services;
};

/// The choices that a request cannot make: `mode` is a field of its text.
world& world_for(std::string_view mode) {
  static world usual(soapsvc::unknown_elements::refuse, AuthPolicy::domain);
  static world lax(soapsvc::unknown_elements::ignore, AuthPolicy::token);
  return mode == "lax" ? lax : usual;
}

// --- Secrets -------------------------------------------------------------------------------------

/// The number of secrets in texts, names and attributes below, except inside Password and Token
/// elements of the services. A password with an unescaped '<' has markup in it.
std::size_t open_secrets(node element) {
  const bool ours = element.ns().starts_with(ns_base) &&
                    (element.local() == "Password" || element.local() == "Token");
  std::size_t count = count_of(element.local(), secret) + count_of(element.prefix(), secret);
  for (const attribute each : element.attributes()) {
    const bool open = !ours || each.ns() == xmlns_ns;
    count += count_of(each.local(), secret) + count_of(each.prefix(), secret);
    if (open) count += count_of(each.value(), secret);
  }
  if (ours) return count;
  count += count_of(element.text(), secret);
  for (node child = element.first_child(); child; child = child.next_sibling())
    count += open_secrets(child);
  return count;
}

/// True if the request has the secret only in elements for secrets, so that it must not be
/// disclosed.
bool hides_secret(const soapsvc::http_request& request, std::string_view charset) {
  for (const soapsvc::http_header& field : request.headers)
    if (contains(field.value, secret)) return false;
  if (!contains(request.body, secret)) return false;
  static xml_document document;
  try {
    soapsvc::message_limits bounds;
    bounds.max_body_bytes = 16'384;
    return open_secrets(document.parse(request.body, charset, bounds)) == 0;
  } catch (const xml_error&) {
    // Invalid XML is not quoted, except the name of an encoding.
    const bool declares =
        request.body.starts_with("<?xml") || request.body.starts_with("\xef\xbb\xbf<?xml");
    return !declares || !contains(request.body.substr(0, request.body.find("?>")), secret);
  }
}

// --- Responses -----------------------------------------------------------------------------------

/// The version that the request's envelope has, or the one that its media type lets one guess.
soap_version version_of(
    const soapsvc::http_request& request, const media_type& type, soap_version replied) {
  const bool v12 = equal_ignoring_case(type.type, "application/soap+xml");
  soap_version version = v12 ? soap_version::v1_2 : soap_version::v1_1;
  if (!is_xml_type(type.type) || !type.wrong.empty()) return version;
  std::size_t types = 0;
  for (const soapsvc::http_header& field : request.headers) {
    types += equal_ignoring_case(field.name, "Content-Type") ? 1 : 0;
    // Refused before the envelope is looked at, perhaps.
    if (types > 1 || equal_ignoring_case(field.name, "Origin") ||
        equal_ignoring_case(field.name, "Sec-Fetch-Site"))
      return replied;
  }
  static xml_document document;
  soapsvc::message_limits bounds;
  bounds.max_body_bytes = 16'384;
  if (request.body.size() > bounds.max_body_bytes) return version;
  try {
    const node root = document.parse(request.body, type.charset, bounds);
    read_version(root, version);
  } catch (const xml_error&) {
  } catch (const soapsvc::fault&) {
  }
  return version;
}

/// Checks the shape of a SOAP response; whether it is a fault.
bool check_response(const soapsvc::http_response& response, soap_version version) {
  require(
      response.content_type == content_type_of(version), "the version's media type", response.body);
  require(response.body.size() < 524'288, "a response is bounded");
  soap_version read{};
  static xml_document document;
  const node root = document.parse(response.body, "utf-8", soapsvc::message_limits{});
  const envelope message = open_envelope(root, read);
  require(read == version, "the version of the request", response.body);
  const node payload = only_child(message.body);
  const bool is_fault = payload.is(envelope_namespace(version), "Fault");
  if (!is_fault) {
    require(response.status == 200, "a result has status 200", response.body);
    return false;
  }
  const bool old = version == soap_version::v1_1;
  std::string_view code =
      old ? payload.first_child().text() : payload.first_child().first_child().text();
  code.remove_prefix(code.find(':') + 1);
  const bool of_http = response.status == 403 || response.status == 413 || response.status == 415 ||
                       response.status == 421 || response.status == 503;
  const int usual = !old && code == "Sender" ? 400 : 500;
  require(of_http || response.status == usual, "the status of a fault", response.body);
  if (!message.header) require(response.body.size() < 16'384, "a fault is short", response.body);
  return true;
}

/// Reads the result like a client, from an existing response.
template <class Service, class Method, class... Parameters>
auto read_result(
    const soapsvc::http_response& response, Method method, const Parameters&... parameters) {
  soapsvc::client_options options;
  options.ns_base = ns_base;
  options.unknown_elements = soapsvc::unknown_elements::refuse;
  soapsvc::client<Service> client([&](const soapsvc::http_request&) { return response; }, options);
  return client.call(method, parameters...);
}

/// The result goes through client and store, and the same request is answered the same.
void check_result(world& w, const soapsvc::http_request& request, soapsvc::http_response response) {
  const auto is = [&](std::string_view name) { return contains(response.body, name); };
  const std::optional<AuthHeaderWithDomain> none(std::in_place);
  Memory& memory = w.memory;
  if (is("<Address_GetListCurrentResponse")) {
    memory.addresses = read_result<EmployeeService>(
        response, &EmployeeService::get_list_current, GetListCurrent{}, none);
  } else if (is("<Address_InsertCurrentResponse")) {
    memory.next_id = read_result<EmployeeService>(
        response, &EmployeeService::insert_current, InsertCurrent{}, none);
    require(memory.inserted.has_value(), "something was inserted");
  } else if (is("<WebhookSettings_GetResponse")) {
    memory.webhooks = read_result<DebtorService>(
        response, &DebtorService::get_webhook_settings, GetWebhookSettings{}, none);
  } else {
    require(count_of(response.body, "Result>") == 2, "a token is issued", response.body);
    return;  // another one each time
  }
  require(
      w.services.handle(request).body == response.body,
      "a result is the same again",
      response.body);
}

/// Inserted addresses are listed unchanged, in both versions.
void check_inserted(world& w) {
  if (!w.memory.inserted) return;
  w.memory.addresses = {*w.memory.inserted};
  for (const soap_version version : {soap_version::v1_1, soap_version::v1_2}) {
    soapsvc::client_options options;
    options.version = version;
    options.unknown_elements = soapsvc::unknown_elements::refuse;
    soapsvc::client<EmployeeService> client(w.services, options);
    const std::optional<AuthHeaderWithDomain> alice(AuthHeaderWithDomain{"alice", secret, "acme"});
    const auto list = client.call(&EmployeeService::get_list_current, GetListCurrent{1}, alice);
    require(list.size() == 1, "one address");
    const EmployeeAddress& a = list[0];
    const EmployeeAddress& b = *w.memory.inserted;
    require(
        a.id == b.id && a.is_default == b.is_default && a.street == b.street &&
            a.house_number == b.house_number &&
            a.house_number_addition == b.house_number_addition && a.postal_code == b.postal_code &&
            a.city == b.city && a.state_province == b.state_province &&
            a.country_iso_code == b.country_iso_code && a.type == b.type,
        "an address survives");
  }
}

void check_post(
    world& w, const soapsvc::http_request& request, const soapsvc::http_response& response) {
  const auto type = parse_media_type(request.header("Content-Type").value_or(""));
  const bool v12 = response.content_type.starts_with("application/soap+xml");
  const soap_version replied = v12 ? soap_version::v1_2 : soap_version::v1_1;
  const bool is_fault = check_response(response, version_of(request, type, replied));
  require(w.last.calls == 1 && w.last.incidents == 0, "one call, no incident", response.body);
  require(w.last.status == response.status, "what is reported was sent");
  require(is_fault == !w.last.reason.empty(), "a fault has a reason", response.body);
  if (hides_secret(request, type.charset)) {
    require(!contains(response.body, secret), "no secret in a response", response.body);
    require(!contains(w.last.reason, secret), "no secret in a reason", w.last.reason);
    require(!contains(w.last.request, secret), "no secret in what is logged", w.last.request);
    require(!contains(w.last.response, secret), "no secret in what is logged", w.last.response);
  }
  if (!is_fault) check_result(w, request, response);
  check_inserted(w);
}

void check_page(const soapsvc::http_request& request, const soapsvc::http_response& response) {
  const int status = response.status;
  require(status == 200 || status == 400 || status == 404 || status == 405, "a status");
  require(response.body.size() < 65'536, "a page is bounded");
  require(find_bad_char(response.body) == std::string::npos, "a page is text");
  const bool allow = !response.headers.empty() && response.headers.front().first == "Allow";
  require((status == 405) == allow, "Allow goes with 405, and only then");
  const bool get = request.method == "GET" || request.method == "HEAD";
  require(get || status == 404 || status == 405, "others get no page", response.body);
  if (response.content_type != "text/xml; charset=utf-8") return;
  static xml_document document;
  require(
      document.parse(response.body, "utf-8", soapsvc::message_limits{}).local() == "definitions",
      "WSDL");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::request_text parsed = fuzz::parse_request_text(fuzz::text_of(data, size));
  std::vector<soapsvc::http_header> headers;
  soapsvc::http_request request;
  std::string_view mode;
  for (const auto& [name, value] : parsed.fields) {
    if (name == "mode")
      mode = value;
    else if (name == "peer")
      request.peer = value == "proxy" ? "192.0.2.1" : value;
    else
      headers.push_back({name, value});
  }
  request.method = parsed.method;
  request.target = parsed.target;
  request.headers = headers;
  request.body = parsed.body;

  world& w = world_for(mode);
  w.memory.addresses = usual_addresses();
  w.memory.webhooks = usual_webhooks();
  w.memory.inserted.reset();
  w.memory.next_id = 7;
  w.last = {};
  const soapsvc::http_response response = w.services.handle(request);
  // Refused pages are reported as well; only calls get an id.
  if (!response.headers.empty() && response.headers.front().first == "X-Request-Id")
    check_post(w, request, response);
  else
    check_page(request, response);
  return 0;
}
