// The examples of the header's docstrings, which tests/tools/contents.py finds here.
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <thread>

using namespace std::chrono_literals;

struct Point {
  std::int32_t x{}, y{};
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), field("Y", &Point::y));

struct Place {
  std::int32_t x{};
};
template <> inline constexpr auto soapsvc::schema<Place> = extern_schema<Place>("Place");
template <> soapsvc::table<Place> soapsvc::define_schema<Place>() {
  static constexpr auto made = record("Place", field("X", &Place::x));
  return made;
}

struct Line {
  std::int32_t id{};
  std::optional<soapsvc::decimal> discount;
};
template <>
inline constexpr auto soapsvc::schema<Line> =
    record("Line", field("Id", &Line::id), field("Discount", &Line::discount));
struct LineV1 : Line {};
template <>
inline constexpr auto soapsvc::schema<LineV1> =
    record("Line", field("Id", &Line::id), ignored(&Line::discount));
struct Order {
  std::vector<Line> lines;
  std::vector<int> codes;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    "Order", wrapped_list("Lines", "Line", &Order::lines), wrapped_list("Codes", &Order::codes));
struct OrderV1 : Order {};
template <>
inline constexpr auto soapsvc::schema<OrderV1> =
    record("Order", field("Line", &Order::lines, table_of<LineV1>()), ignored(&Order::codes));

struct Team {
  std::map<std::string, std::int32_t> ages;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", map("Ages", "Age", "Name", "Years", &Team::ages));

struct Ticket {
  std::int32_t id{};
};
template <>
inline constexpr auto soapsvc::schema<Ticket> = record("Ticket", field("Id", &Ticket::id));
struct Login {
  std::string password;
};
template <>
inline constexpr auto soapsvc::schema<Login> =
    record("Login", field("Password", &Login::password, secret));

struct GetEmployee {
  std::int32_t id{};
};
template <>
inline constexpr auto soapsvc::schema<GetEmployee> = record(field("Id", &GetEmployee::id));
struct Ping {};
template <> inline constexpr auto soapsvc::schema<Ping> = record<Ping>("Ping");
struct Stop {};
template <> inline constexpr auto soapsvc::schema<Stop> = record<Stop>();

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog : Animal {
  bool barks{};
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Barks", &Dog::barks));
struct Cat : Animal {};
template <> inline constexpr auto soapsvc::schema<Cat> = record<Cat>("Cat", extends<Animal>());
struct Puppy : Dog {};
template <> inline constexpr auto soapsvc::schema<Puppy> = record<Puppy>("Puppy", extends<Dog>());
template <> inline constexpr auto soapsvc::known_types<Animal> = soapsvc::types<Dog, Cat>();

inline constexpr auto postal_code =
    soapsvc::simple_type("PostalCode", soapsvc::pattern("[0-9]{4}"));
struct Address {
  std::string code;
};
template <>
inline constexpr auto soapsvc::schema<Address> =
    record("Address", field("Code", &Address::code, postal_code));

enum class Size : std::uint8_t { small, large };
template <>
inline constexpr auto soapsvc::schema<Size> =
    enumeration("Size", xs::token, value("small", Size::small), value("large", Size::large));

struct Error {
  std::int32_t code{};
};
template <>
inline constexpr auto soapsvc::schema<Error> = record("Error", field("Code", &Error::code));
struct Session {
  std::string id;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record("Session", field("Id", &Session::id));
struct Trace {
  std::string id;
};
template <> inline constexpr auto soapsvc::schema<Trace> = record("Trace", field("Id", &Trace::id));
struct Receipt {
  std::int32_t number{};
};
template <>
inline constexpr auto soapsvc::schema<Receipt> =
    record("Receipt", field("Number", &Receipt::number));

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

using Request = GetEmployee;
using Header = Session;
using Result = std::int32_t;

class Hello {
public:
  std::string greet(const Greet& request) { return request.name; }
  Result method(const Request&, const Header&, const soapsvc::context&);
  void stop(const soapsvc::header_blocks<Session, std::optional<Trace>>& blocks);
  soapsvc::with_header_blocks<std::int32_t, Receipt> count() {
    const std::int32_t sum = 3;
    return {sum, {Receipt{7}}};
  }
};
struct Tenant {
  std::int32_t discount{};
};
Result Hello::method(const Request& request, const Header&, const soapsvc::context& call) {
  const auto* tenant = call.get<Tenant>();  // in a method, `const soapsvc::context& call`
  return tenant ? request.id - tenant->discount : request.id;
}
void Hello::stop(const soapsvc::header_blocks<Session, std::optional<Trace>>& blocks) {
  CHECK(blocks.get<Session>().id == "7");
}
template <>
inline constexpr auto soapsvc::schema<Hello> = service(
    "Hello",
    operation("Greet", &Hello::greet, fault_doc(17, "Unknown person", "Nobody has that name.")),
    operation("GetEmployee", &Hello::method),
    operation("Stop", &Hello::stop),
    operation("Count", &Hello::count));

class Money {
public:
  static Money of(std::string_view amount) {
    Money made;
    made.cents_ = soapsvc::decimal(amount).units(2).value();
    return made;
  }
  std::int64_t cents() const { return cents_; }

private:
  std::int64_t cents_ = 0;
};
template <> struct soapsvc::adapter<Money> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Money& money) { return wire(money.cents(), 2); }
  static Money from_wire(const wire& sent) { return Money::of(sent.text()); }
};
struct Invoice {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Invoice> = record("Invoice", field("Total", &Invoice::total));

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b);
};
std::int32_t Desk::add(std::int32_t a, std::int32_t b) { return a + b; }
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("a", "b")));

class Payroll {
public:
  void pay() {}
};
template <>
inline constexpr auto soapsvc::schema<Payroll> =
    service("Payroll", secured(password_text, timestamp), operation("Pay", &Payroll::pay));

struct Range {
  std::int32_t end{};
};
template <> inline constexpr auto soapsvc::schema<Range> = record(field("End", &Range::end));
using Row = std::int32_t;

class EmployeeService {
public:
  std::int32_t get_list(const Request& request, const Session&) { return request.id; }
  void ping() {}
  struct Cursor {
    std::int32_t left;
    std::optional<Row> next() { return left ? std::optional<Row>(left--) : std::nullopt; }
  };
  struct Store {
    static Cursor open(const Range& range) { return {range.end}; }
  };
  soapsvc::stream<Row> rows(const Range& range) {
    return [cursor = store_.open(range)]() mutable { return cursor.next(); };
  }

private:
  Store store_;
};
template <>
inline constexpr auto soapsvc::schema<EmployeeService> = service(
    "EmployeeService",
    operation("GetList", &EmployeeService::get_list),
    operation("Ping", &EmployeeService::ping),
    operation("Rows", &EmployeeService::rows));

TEST_CASE("the examples of values do what they say", "[docs]") {
  const auto now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 27} + 10h;
  auto today = soapsvc::date::from(std::chrono::floor<std::chrono::days>(now));
  bool is_over = soapsvc::date{2024, 2, 29} < today;
  auto due = soapsvc::date::from(today.to_sys_days().value() + std::chrono::days{30});
  CHECK(is_over);
  CHECK(due.text() == "2026-12-27");

  auto sent = soapsvc::date_time::from(std::chrono::system_clock::now());
  CHECK(sent.ok());

  auto limit = soapsvc::duration::from(std::chrono::minutes{90});  // PT1H30M
  bool is_long = soapsvc::duration{.months = 14} > limit;
  CHECK(limit.text() == "PT1H30M");
  CHECK(is_long);

  soapsvc::decimal salary(325'050, 2);  // 3250.50
  std::optional<std::int64_t> cents = salary.units(2);
  CHECK(salary.text() == "3250.50");
  CHECK(cents == 325'050);

  std::string fed;
  const auto feed = [&](const Dog& dog) { fed = dog.name; };
  soapsvc::polymorphic<Animal> pet(Dog{{"Rex"}, true});
  if (const Dog* dog = pet.get_if<Dog>()) feed(*dog);
  CHECK(fed == "Rex");
  CHECK(pet.value().name == "Rex");
  pet.reset();
  CHECK_FALSE(pet);
  CHECK_THROWS_AS(pet.value(), std::bad_optional_access);
  CHECK(soapsvc::box<std::string>().value_or("none") == "none");
  CHECK(soapsvc::nillable<std::string>("x").value_or("none") == "x");
}

TEST_CASE("a preset of secured is the words that it names", "[docs][secured]") {
  using namespace soapsvc;
  const auto parts = [](const auto& said) { return said.items[0].number; };
  CHECK(
      parts(secured(transport_with_message_credential)) ==
      parts(secured(password_text, timestamp)));
  CHECK(
      parts(secured(x509_both_ways)) ==
      parts(secured(timestamp, x509_signature, signed_responses)));
}

TEST_CASE("the examples of XML without a message do what they say", "[docs][xml]") {
  std::int32_t plotted = 0;
  const auto plot = [&](const Point& point) { plotted = point.x; };
  const soapsvc::xml note = soapsvc::xml::from(Point{3, 4});
  if (note.name().local == "Point") plot(note.as<Point>());
  CHECK(plotted == 3);
  auto ticket = soapsvc::read_xml<Ticket>("<Ticket xmlns='urn:desk'><Id>7</Id></Ticket>");
  CHECK(ticket.id == 7);
  std::string text = soapsvc::write_xml(ticket, "urn:desk");
  CHECK(text == "<Ticket xmlns=\"urn:desk\"><Id>7</Id></Ticket>");
  std::ostringstream log;
  const Login request{"hunter2"};
  log << soapsvc::to_text(request);  // <Login><Password>***</Password></Login>
  CHECK(log.str() == "<Login><Password>***</Password></Login>");
}

TEST_CASE("the example of an adapter does what it says", "[docs][adapter]") {
  const std::string text = "<Invoice><Total>10.50</Total></Invoice>";
  CHECK(soapsvc::read_xml<Invoice>(text).total.cents() == 1050);
  CHECK(soapsvc::write_xml(soapsvc::read_xml<Invoice>(text)) == text);
}

TEST_CASE("the example of parameters does what it says", "[docs][parameters]") {
  Desk service;
  soapsvc::dispatcher services({.ns_base = "urn:test"});
  services.add(service);
  const soapsvc::client<Desk> desk(services);
  auto sum = desk.call(&Desk::add, 1, 2);
  CHECK(sum == 3);
  auto request = services.sample("Desk", "Add", soapsvc::soap_version::v1_2);
  CHECK(request.find("<a>") != std::string::npos);
}

TEST_CASE("the text of a temporary lives as long as it is used", "[docs]") {
  const std::string text = soapsvc::decimal(325'050, 2).text();
  CHECK(text == "3250.50");
  const auto number = soapsvc::integer(12).text();
  CHECK(number == "12");
  const auto element = soapsvc::xml("<a/>").text();
  CHECK(element == "<a xmlns=\"\"/>");  // it can be written anywhere
}

TEST_CASE("the example of a user and a password is a header", "[docs]") {
  soapsvc::client_options options;
  options.headers = {{"Authorization", soapsvc::basic_authorization("ada", "secret")}};
  CHECK(options.headers.front().second == "Basic YWRhOnNlY3JldA==");
}

TEST_CASE("the examples of dispatcher and client do what they say", "[docs]") {
  int refused_calls = 0;
  struct {
    int left;
    bool allow(std::string_view) { return left-- > 0; }
  } rates{5};
  soapsvc::dispatcher_options options{.ns_base = "urn:x"};
  options.interceptors.push_back([&](soapsvc::intercepted_call& call) {
    if (!rates.allow(call.context().peer))
      throw soapsvc::fault(soapsvc::fault_code::server, "later").with_status(429);
    call.proceed();
  });
  EmployeeService service;
  soapsvc::dispatcher services(options);
  services.add(service);
  EmployeeService desk;
  services.add(
      desk, {.path = "/desk", .operations = {{.name = "GetList", .max_body_bytes = 9'000}}});
  const GetEmployee request{5};
  const Session header{"7"};
  const auto in_process = [&] { return soapsvc::client<EmployeeService>(services); };
  auto employees = in_process();
  {
    auto list = employees.call(&EmployeeService::get_list, request, header);
    CHECK(list == 5);
  }
  {
    auto first = employees.call_async(&EmployeeService::get_list, request, header);
    auto list = first.get();
    CHECK(list == 5);
  }
  const soapsvc::context call;
  employees.with(soapsvc::from_context(call)).call(&EmployeeService::ping);
#if defined(__cpp_lib_jthread)
  std::stop_source stop;
  employees.with({.timeout = 2s, .stop = stop.get_token()}).call(&EmployeeService::ping);
#else
  --rates.left;
#endif
  struct {
    soapsvc::stream<Row> rows;
  } upload{in_process().call(&EmployeeService::rows, {3})};
  std::vector<Row> stored;
  const auto store = [&](const Row& row) { stored.push_back(row); };
  while (const std::optional<Row> row = upload.rows.next())
    store(*row);
  CHECK(stored == std::vector<Row>{3, 2, 1});
  try {
    try {
      employees.call(&EmployeeService::ping);
    } catch (const soapsvc::remote_fault& refused) {
      throw refused.as_fault();
    }
  } catch (const soapsvc::fault& fault) {
    CHECK(fault.reason() == "later");
    ++refused_calls;
  }
  CHECK(refused_calls == 1);
  const auto failing = [] {
    throw soapsvc::fault(soapsvc::fault_code::client, "no such employee").with(Error{2003});
  };
  CHECK_THROWS_AS(failing(), soapsvc::error);
}

TEST_CASE("the example of a client's interceptor does what it says", "[docs][client]") {
  struct {
    int count = 0;
    std::string next() { return "trace-" + std::to_string(++count); }
  } trace;
  std::string seen;
  int id = 0;
  EmployeeService service;
  soapsvc::dispatcher services(
      {.ns_base = "urn:x", .interceptors = {[&](auto& call) {
                             seen = call.http().header("traceparent").value_or("");
                             id = call.template header_block<Ticket>().value().id;
                             call.proceed();
                           }}});
  services.add(service);
  soapsvc::client_options options;
  options.interceptors.push_back([&](soapsvc::outgoing_call& call) {
    call.set_request_header("traceparent", trace.next());
    call.add_header_block(Ticket{7});
    call.proceed();
  });
  soapsvc::client<EmployeeService>(services, options).call(&EmployeeService::ping);
  CHECK(seen == "trace-1");
  CHECK(id == 7);
}

TEST_CASE("a remote_fault can be made for a test", "[docs][client]") {
  const soapsvc::remote_fault refused(
      soapsvc::fault(soapsvc::fault_code::client, "no such employee")
          .with(Error{2003})
          .with_header_block(Session{"7"})
          .with_subcode("Unknown"),
      "urn:x",
      404);
  CHECK(refused.code() == soapsvc::fault_code::client);
  CHECK(refused.reason() == "no such employee");
  CHECK(refused.subcode() == "Unknown");
  CHECK(refused.http_status() == 404);
  CHECK(soapsvc::read_detail<Error>(refused).value().code == 2003);
  CHECK(soapsvc::read_header_block<Session>(refused).value().id == "7");
  CHECK_FALSE(soapsvc::read_header_block<Trace>(refused));
  CHECK(refused.as_fault().reason() == "no such employee");
}

#ifndef SOAPSVC_NO_HOST
TEST_CASE("the examples of the host compile", "[docs][host]") {
  const auto example = [] {
    soapsvc::host host{{.ns_base = "urn:pay"}, {.tls = {.certificate_file = "host.pem"}}};
    host.bind({"127.0.0.1", 8080});
    host.bind({.port = 9090, .role = soapsvc::listener_role::operators});
    host.bind({.unix_path = "/run/payroll/socket"});
  };
  CHECK_THROWS_WITH(example(), Catch::Contains("host.pem"));
  const auto over_http = [](const soapsvc::client_options& options) {
    soapsvc::client<EmployeeService> employees{
        "https://host/soap/v3/EmployeeService.asmx", options};
  };
  CHECK_THROWS_AS(over_http({}), std::invalid_argument);
  soapsvc::host plain("urn:pay");
  CHECK(plain.bind({}) > 0);
}
#endif
