#include "store/postgres/connection.hpp"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "operate/process.hpp"

namespace postgres {

namespace {

using std::chrono::milliseconds;

/// The server counts days from 2000, C++ from 1970.
constexpr std::chrono::sys_days server_epoch = std::chrono::year(2000) / 1 / 1;

template <class Number> Number number_of(std::string_view bytes) {
  if (bytes.size() != sizeof(Number))
    throw std::runtime_error("the database holds a number of another size");
  std::make_unsigned_t<Number> value = 0;
  for (const char byte : bytes)
    value = static_cast<std::make_unsigned_t<Number>>(
        (static_cast<std::uint64_t>(value) << 8U) | static_cast<unsigned char>(byte));
  return static_cast<Number>(value);
}

/// A message of the server as one line.
std::string one_line(const char* text) {
  std::string line = text == nullptr ? "" : text;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' '))
    line.pop_back();
  std::string joined;
  for (const char letter : line) {
    if (letter != '\n' && letter != '\t') joined += letter;
    if (letter == '\n') joined += ": ";
  }
  return joined;
}

void note_warning(void* warned, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::string_view(severity) == "WARNING")
    *static_cast<bool*>(warned) = true;
}

/// True if the server ended the session with this message.
bool ends_session(const PGresult* result) {
  const char* text = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const std::string_view severity = text == nullptr ? "" : text;
  return severity == "FATAL" || severity == "PANIC";
}

}  // namespace

// --- Values and rows -----------------------------------------------------------------------------

void Values::add_bytes(std::string_view bytes) {
  places_.push_back({bytes_.size(), static_cast<int>(bytes.size())});
  bytes_.append(bytes);
}

template <class Number> void Values::add_number(Number value) {
  std::array<char, sizeof(Number)> bytes{};
  auto rest = static_cast<std::uint64_t>(value);
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, rest >>= 8U)
    *at = static_cast<char>(rest & 0xFFU);
  add_bytes({bytes.data(), bytes.size()});
}

void Values::add(std::int32_t value) { add_number(value); }
void Values::add(std::int64_t value) { add_number(value); }
void Values::add(bool value) {
  add_bytes(value ? std::string_view("\1", 1) : std::string_view("\0", 1));
}
void Values::add(std::chrono::sys_days value) {
  add_number(static_cast<std::int32_t>((value - server_epoch).count()));
}

std::int64_t Rows::changed() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::int32_t Rows::number(int column) const { return number_of<std::int32_t>(bytes(column)); }
std::int64_t Rows::big(int column) const { return number_of<std::int64_t>(bytes(column)); }

Digest Rows::digest(int column) const {
  const std::string_view stored = bytes(column);
  Digest digest{};
  if (stored.size() != digest.size())
    throw std::runtime_error("the database holds a digest of the wrong size");
  std::memcpy(digest.data(), stored.data(), digest.size());
  return digest;
}

// --- Addresses -----------------------------------------------------------------------------------

namespace {

/// Parses a number of libpq; 0 if it is invalid.
int whole_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

using OptionList = std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)>;

bool is_url(const std::string& db) {
  return db.rfind("postgresql://", 0) == 0 || db.rfind("postgres://", 0) == 0;
}

/// nullptr: invalid. `why` gets libpq's message without quoted parts of the address.
OptionList parse(const std::string& db, std::string* why = nullptr) {
  char* error = nullptr;
  OptionList options(PQconninfoParse(db.c_str(), &error), &PQconninfoFree);
  if (why != nullptr && error != nullptr) {
    const std::string words = one_line(error);
    *why = words.substr(0, words.find_first_of("\"'"));
    while (!why->empty() && (why->back() == ' ' || why->back() == ':'))
      why->pop_back();
  }
  if (error != nullptr) PQfreemem(error);
  return options;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = list.find(',', begin);
    parts.push_back(list.substr(begin, comma - begin));
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

}  // namespace

/// Text without a scheme is an address only if libpq knows all of its keywords and one of them
/// names a host or database.
bool is_address(const std::string& db) {
  if (is_url(db)) return true;
  const OptionList options = parse(db);
  if (!options) return false;
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    const std::string_view name = each->keyword;
    const bool place =
        name == "host" || name == "hostaddr" || name == "dbname" || name == "service";
    if (place && each->val != nullptr) return true;
  }
  return false;
}

std::string printable(const std::string& db) {
  const OptionList options = parse(db);
  if (!options) return "the PostgreSQL database";
  std::string name;
  std::string hosts;
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    if (each->val == nullptr) continue;
    const std::string_view keyword = each->keyword;
    if (keyword == "dbname") name = each->val;
    if (keyword == "host" || (keyword == "hostaddr" && hosts.empty())) hosts = each->val;
  }
  // libpq accepts a whole address as the database name, too.
  if (name.find_first_of(":=/@") != std::string::npos) name.clear();
  std::string shown = "PostgreSQL database";
  if (!name.empty()) shown += " '" + name + '\'';
  return hosts.empty() ? shown : shown + " at " + hosts;
}

Address::Address(const std::string& db, const char* option) {
  std::string why;
  const OptionList options = parse(db, &why);
  if (!options)
    throw WrongOptions(
        std::string("the address after ") + option + " cannot be read (" + why +
        "); write it as postgresql://user@host:5432/database, with %-codes for : / @ and % "
        "in a name or password");
  Parameters common;
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  std::vector<std::string> ports;
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    if (each->val == nullptr) continue;
    const std::string_view name = each->keyword;
    if (name == "host")
      names = split(each->val);
    else if (name == "hostaddr")
      numbers = split(each->val);
    else if (name == "port")
      ports = split(each->val);
    else if (name == "connect_timeout")
      patience_ = std::chrono::seconds(std::max(1, whole_number(each->val)));
    else if (name != "client_encoding" && name != "target_session_attrs")
      common.push_back({each->keyword, each->val});
  }
  add_defaults(common);
  add_hosts(common, names, numbers, ports, option);
}

/// The operating system also drops the connection to a silent server.
void Address::add_defaults(Parameters& to) {
  for (const auto& [name, value] :
       {std::pair{"keepalives_idle", "5"},
        {"keepalives_interval", "2"},
        {"keepalives_count", "3"},
        {"tcp_user_timeout", "10000"},
        {"application_name", "payroll"}}) {
    const bool given = std::any_of(to.begin(), to.end(), [wanted = name](const Parameter& each) {
      return each.name == wanted;
    });
    if (!given) to.push_back({name, value});
  }
  to.push_back({"client_encoding", "UTF8"});
}

void Address::add_hosts(
    const Parameters& common,
    const std::vector<std::string>& names,
    const std::vector<std::string>& numbers,
    const std::vector<std::string>& ports,
    const char* option) {
  const std::size_t count = std::max<std::size_t>({names.size(), numbers.size(), 1});
  const bool fits = (names.empty() || names.size() == count) &&
                    (numbers.empty() || numbers.size() == count) &&
                    (ports.size() <= 1 || ports.size() == count);
  if (!fits)
    throw WrongOptions(
        std::string("the address after ") + option +
        " names a different number of hosts and ports; give each host one, as in "
        "postgresql://one:5432,two:5432/database");
  for (std::size_t at = 0; at != count; ++at) {
    Parameters host = common;
    if (!names.empty()) host.push_back({"host", names[at]});
    if (!numbers.empty()) host.push_back({"hostaddr", numbers[at]});
    if (!ports.empty()) host.push_back({"port", ports.size() == 1 ? ports[0] : ports[at]});
    hosts_.push_back(std::move(host));
  }
}

// --- Connection ----------------------------------------------------------------------------------

Connection::Connection(const Address::Parameters& host, ServerKind kind, Deadline deadline) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const Address::Parameter& each : host) {
    names.push_back(each.name.c_str());
    values.push_back(each.value.c_str());
  }
  names.push_back("target_session_attrs");
  values.push_back(
      kind == ServerKind::primary   ? "read-write"
      : kind == ServerKind::standby ? "standby"
                                    : "any");
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(names.data(), values.data(), 0));
  if (!connection_) throw std::bad_alloc();
  // Set before connecting, because libpq writes notices to standard error, which is the log.
  PQsetNoticeReceiver(connection_.get(), note_warning, warned_.get());
  connect(deadline);
  *warned_ = false;  // drops warnings about the database, such as new collations
  if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1)
    lose();
}

void Connection::connect(Deadline deadline) {
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  if (PQstatus(connection_.get()) == CONNECTION_BAD) lose();
  while (next != PGRES_POLLING_OK) {
    wait(next == PGRES_POLLING_READING, next == PGRES_POLLING_WRITING, deadline);
    next = PQconnectPoll(connection_.get());
    if (next == PGRES_POLLING_FAILED) lose();
  }
}

void Connection::wait(bool for_reading, bool for_writing, Deadline deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw TooLate("the database does not answer in time");
    const int events = (for_reading ? POLLIN : 0) | (for_writing ? POLLOUT : 0);
    pollfd one{PQsocket(connection_.get()), static_cast<short>(events), 0};
    const int ready =
        ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw ConnectionLost("waiting for the database failed");
  }
}

/// True if TLS has unread bytes that were already taken from the socket. poll does not report them.
/// libpq may leave a part of a record that is longer than the room in its buffer.
bool Connection::has_unread() const {
  auto* const tls = static_cast<SSL*>(PQsslStruct(connection_.get(), "OpenSSL"));
  return tls != nullptr && SSL_pending(tls) > 0;
}

void Connection::lose() const { throw ConnectionLost(problem()); }

std::string Connection::problem() const {
  std::string said = one_line(PQerrorMessage(connection_.get()));
  return said.empty() ? "the connection to the database was lost" : said;
}

void Connection::send(const Statement& statement, const Values& values) {
  if (!prepared_.contains(&statement) && preparing_.insert(&statement).second) {
    expected_.push_back({&statement, true});
    const int count = static_cast<int>(values.size());
    if (PQsendPrepare(connection_.get(), statement.name, statement.sql, count, nullptr) != 1)
      lose();
  }
  static constexpr std::size_t most = 24;
  std::array<const char*, most> pointers{};
  std::array<int, most> sizes{};
  std::array<int, most> formats{};
  const std::size_t count = values.size();
  if (count > most) throw std::logic_error("a statement has too many parameters");
  for (std::size_t at = 0; at != count; ++at) {
    const Values::Place& place = values.places_[at];
    pointers[at] = place.size < 0 ? nullptr : values.bytes_.data() + place.begin;
    sizes[at] = std::max(place.size, 0);
    formats[at] = 1;
  }
  expected_.push_back({&statement, false});
  const int sent = PQsendQueryPrepared(
      connection_.get(),
      statement.name,
      static_cast<int>(count),
      pointers.data(),
      sizes.data(),
      formats.data(),
      1);
  if (sent != 1) lose();
}

void Connection::sync() {
  if (PQpipelineSync(connection_.get()) != 1) lose();
}

/// nullptr at the end of one statement's results.
PGresult* Connection::next_result(Deadline deadline) {
  while (PQisBusy(connection_.get()) != 0) {
    const int unsent = PQflush(connection_.get());
    if (unsent < 0) lose();
    if (!has_unread()) wait(true, unsent == 1, deadline);
    if (PQconsumeInput(connection_.get()) != 1) lose();
  }
  return PQgetResult(connection_.get());
}

void Connection::take_end(Deadline deadline) {
  if (PGresult* more = next_result(deadline)) {
    PQclear(more);
    throw ConnectionLost("the database answers out of order");
  }
}

/// Consumes the other results of the refused statement, and throws the refusal.
void Connection::refuse(const PGresult* result, bool prepares, Deadline deadline) {
  if (PQstatus(connection_.get()) == CONNECTION_BAD) lose();
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  Refused refused(state == nullptr ? "XX000" : state, one_line(words));
  if (ends_session(result) || refused.is_of_server()) throw ConnectionLost(refused.what());
  take_end(deadline);
  if (prepares) {  // the server also skips its execution
    try {
      receive(deadline);
    } catch (const Refused&) {
    }
  }
  throw refused;
}

Rows Connection::receive(Deadline deadline) {
  if (received_ == expected_.size()) throw std::logic_error("no result is under way");
  const Expected expected = expected_[received_++];
  PGresult* result = next_result(deadline);
  if (result == nullptr) lose();
  Rows rows(result);
  switch (PQresultStatus(result)) {
  case PGRES_COMMAND_OK:
  case PGRES_TUPLES_OK: break;
  case PGRES_PIPELINE_ABORTED:
    take_end(deadline);
    if (expected.prepares) return receive(deadline);
    throw Refused(skipped, "skipped: an earlier statement failed");
  default: refuse(result, expected.prepares, deadline);
  }
  take_end(deadline);
  if (!expected.prepares) return rows;
  prepared_.insert(expected.statement);
  return receive(deadline);
}

void Connection::receive_sync(Deadline deadline) {
  while (received_ != expected_.size()) {
    try {
      receive(deadline);
    } catch (const Refused&) {  // no caller waits for this result
    }
  }
  const Rows end(next_result(deadline));
  expected_.clear();
  received_ = 0;
  preparing_.clear();
}

Rows Connection::run(const Statement& statement, const Values& values, Deadline deadline) {
  send(statement, values);
  sync();
  return take_one(deadline);
}

/// Receives the result of a group with one statement.
Rows Connection::take_one(Deadline deadline) {
  try {
    Rows rows = receive(deadline);
    receive_sync(deadline);
    return rows;
  } catch (const Refused&) {
    receive_sync(deadline);
    throw;
  }
}

Rows Connection::execute(const std::string& sql, Deadline deadline) {
  expected_.push_back({nullptr, false});
  const int sent =
      PQsendQueryParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 1);
  if (sent != 1) lose();
  sync();
  return take_one(deadline);
}

std::string Connection::host() const {
  const char* name = PQhost(connection_.get());
  return name == nullptr ? "" : name;
}

/// Between uses the server sends only the end of the session or notices.
bool Connection::is_alive() const {
  pollfd one{PQsocket(connection_.get()), POLLIN, 0};
  if (::poll(&one, 1, 0) == 0) return true;
  return PQconsumeInput(connection_.get()) == 1 && PQstatus(connection_.get()) == CONNECTION_OK &&
         ::poll(&one, 1, 0) == 0;
}

bool Connection::is_remote() const {
  const std::string name = host();
  if (name.empty() || name.front() == '/' || name.front() == '@') return false;
  const char* address = PQhostaddr(connection_.get());
  return !is_loopback(address == nullptr || *address == '\0' ? name : address);
}

std::string Connection::option(const char* name) const {
  const OptionList options(PQconninfo(connection_.get()), &PQconninfoFree);
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each)
    if (std::strcmp(each->keyword, name) == 0 && each->val != nullptr) return each->val;
  return "";
}

std::string Connection::server_setting(const char* name) const {
  const char* value = PQparameterStatus(connection_.get(), name);
  return value == nullptr ? "" : value;
}

std::unique_ptr<Connection> connect(
    const Address& address,
    ServerKind kind,
    std::size_t& preferred,
    Deadline deadline,
    const std::function<void(Connection&, Deadline)>& prepare) {
  std::string said;
  for (std::size_t count = 0; count != address.hosts(); ++count) {
    const std::size_t at = (preferred + count) % address.hosts();
    const Deadline limit =
        std::min(deadline, std::chrono::steady_clock::now() + address.patience());
    try {
      auto made = std::make_unique<Connection>(address.host(at), kind, limit);
      prepare(*made, std::max(limit, deadline));
      preferred = at;
      return made;
    } catch (const ConnectionLost& lost) {
      if (std::chrono::steady_clock::now() > deadline) throw;
      const std::string_view why = lost.what();
      if (said.find(why) == said.npos) said.append(said.empty() ? "" : "; ").append(why);
    }
  }
  throw ConnectionLost(said);
}

}  // namespace postgres
