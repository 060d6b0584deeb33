// One connection to PostgreSQL, with libpq in pipeline mode. No call blocks longer than its
// caller's deadline, except for the lookup of a host name. Values are sent as binary parameters
// only. So no caller's text becomes part of a statement. It is in the server's log only if the
// server logs parameters.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/store.hpp"

namespace postgres {

using Deadline = std::chrono::steady_clock::time_point;

/// The connection was lost or could not be made. The current statements may have been executed.
class ConnectionLost : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The deadline has passed. The current statements may have been executed.
class TooLate : public ConnectionLost {
public:
  using ConnectionLost::ConnectionLost;
};

/// The server refused a statement. It has changed nothing, and the connection stays usable.
class Refused : public std::runtime_error {
public:
  Refused(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}

  /// True if the SQLSTATE is `state`, which has five characters.
  bool is(std::string_view state) const { return state_ == state; }
  /// True if the SQLSTATE begins with `kind`, the two characters of a class of errors.
  bool is_of(std::string_view kind) const { return state_.compare(0, 2, kind) == 0; }
  /// A conflict with another transaction: a repetition may succeed.
  bool is_conflict() const { return is("40001") || is("40P01"); }
  /// The server is read-only: another server may accept writes.
  bool is_read_only() const { return is("25006"); }
  /// The server shuts down or refuses connections: another server may accept one. Connection throws
  /// ConnectionLost instead.
  bool is_of_server() const {
    return is("57P01") || is("57P02") || is("57P03") || is("53300") || is_of("08");
  }
  /// The server lacks resources: disk or memory is full, or the disk fails.
  bool is_of_resources() const { return is("53000") || is("53100") || is("53200") || is("58030"); }

private:
  std::string state_;
};

/// A statement of the store; both texts are literals. `name` identifies the prepared statement at
/// the server. Parameters are $1, $2 and so on.
struct Statement {
  const char* name;
  const char* sql;
};

/// Marks a string that is stored as bytea.
struct Bytes {
  const std::string& of;
};

/// 128 random bits that identify a write.
using Key = std::array<unsigned char, 16>;

/// The parameters of a statement, in order, in the server's binary format.
class Values {
public:
  template <class... Each> explicit Values(const Each&... each) { (add(each), ...); }

  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(bool value);
  void add(DomainId value) { add(static_cast<std::int64_t>(value)); }
  void add(const std::string& value) { add_bytes(value); }
  void add(const Bytes& value) { add_bytes(value.of); }
  void add(const Digest& value) { add_bytes(view_of(value)); }
  void add(const Key& value) { add_bytes(view_of(value)); }
  void add(std::chrono::sys_days value);
  void add_null() { places_.push_back({bytes_.size(), -1}); }
  template <class T> void add(const std::optional<T>& value) { value ? add(*value) : add_null(); }

  std::size_t size() const { return places_.size(); }

private:
  friend class Connection;
  struct Place {
    std::size_t begin;
    int size;  // -1: null
  };

  template <class Array> static std::string_view view_of(const Array& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void add_bytes(std::string_view bytes);
  template <class Number> void add_number(Number value);

  std::string bytes_;
  std::vector<Place> places_;
};

/// A cursor over the rows of a result.
class Rows {
public:
  Rows() = default;
  explicit Rows(PGresult* result) : result_(result, &PQclear) {}

  /// Moves to the first or next row; false after the last.
  bool next() { return ++row_ < (result_ ? PQntuples(result_.get()) : 0); }
  std::size_t size() const {
    return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
  }
  int columns() const { return PQnfields(result_.get()); }
  /// The number of rows that the statement changed.
  std::int64_t changed() const;

  bool is_null(int column) const { return PQgetisnull(result_.get(), row_, column) != 0; }
  bool flag(int column) const { return bytes(column).at(0) != 0; }
  std::int32_t number(int column) const;
  std::int64_t big(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }
  std::optional<std::string> maybe_text(int column) const {
    return is_null(column) ? std::nullopt : std::optional(text(column));
  }
  DomainId domain(int column) const { return DomainId{big(column)}; }
  Digest digest(int column) const;

private:
  std::string_view bytes(int column) const {
    return {
        PQgetvalue(result_.get(), row_, column),
        static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
  }

  std::unique_ptr<PGresult, void (*)(PGresult*)> result_{nullptr, &PQclear};
  int row_ = -1;
};

/// True if `db` names a PostgreSQL database: postgresql://..., postgres://..., or libpq's `host=...
/// dbname=...`.
bool is_address(const std::string& db);

/// A description of an address without any part that may be a password.
std::string printable(const std::string& db);

/// The servers of an address of `--db`. The hosts are separate, so that each is tried for a limited
/// time. libpq alone tries the next host only after a refusal, and a frozen host does not refuse.
class Address {
public:
  /// Throws WrongOptions. Its text has no part of the address, which may have a password. `option`
  /// is the option that gave the address.
  explicit Address(const std::string& db, const char* option = "--db");

  struct Parameter {
    std::string name;
    std::string value;
  };
  using Parameters = std::vector<Parameter>;

  std::size_t hosts() const { return hosts_.size(); }
  const Parameters& host(std::size_t number) const { return hosts_[number]; }
  /// The maximum time to connect to one host.
  std::chrono::milliseconds patience() const { return patience_; }

private:
  static void add_defaults(Parameters& to);
  void add_hosts(
      const Parameters& common,
      const std::vector<std::string>& names,
      const std::vector<std::string>& numbers,
      const std::vector<std::string>& ports,
      const char* option);

  std::vector<Parameters> hosts_;
  std::chrono::milliseconds patience_{1000};
};

/// The kinds of servers that a connection accepts.
enum class ServerKind : std::uint8_t { any, primary, standby };

/// Used by one thread at a time. Unusable after any exception except Refused.
class Connection {
public:
  /// Connects to one host. Throws ConnectionLost, also for a server of another kind, or TooLate.
  Connection(const Address::Parameters& host, ServerKind kind, Deadline deadline);

  /// Adds a statement to the pipeline. The values must live until it is flushed.
  void send(const Statement& statement, const Values& values = Values{});
  /// Ends the current group of the pipeline. After a failure, the server skips the rest of the
  /// group.
  void sync();
  /// Receives the next result, in the order of the statements. Throws Refused; its state is
  /// `skipped` if an earlier statement failed.
  Rows receive(Deadline deadline);
  /// Receives the end of a group.
  void receive_sync(Deadline deadline);

  /// The state of a statement that was skipped.
  static constexpr const char* skipped = "-----";

  /// Runs one statement in its own group.
  Rows run(const Statement& statement, const Values& values, Deadline deadline);
  /// Runs a statement that is not prepared: one statement without parameters.
  Rows execute(const std::string& sql, Deadline deadline);

  /// True if no end of the connection was received. Asks the operating system, not the server.
  bool is_alive() const;
  /// True if the server has sent a warning since the last call: that a commit did not wait for its
  /// standby, for instance.
  bool was_warned() { return std::exchange(*warned_, false); }

  std::string host() const;
  bool is_remote() const;  ///< true if the server may be on another machine
  /// The effective value of an option of the connection.
  std::string option(const char* name) const;
  std::string server_setting(const char* name) const;

private:
  struct Expected {
    const Statement* statement;
    bool prepares;
  };

  void connect(Deadline deadline);
  void wait(bool for_reading, bool for_writing, Deadline deadline) const;
  bool has_unread() const;
  PGresult* next_result(Deadline deadline);
  void take_end(Deadline deadline);
  [[noreturn]] void refuse(const PGresult* result, bool prepares, Deadline deadline);
  Rows take_one(Deadline deadline);
  [[noreturn]] void lose() const;
  std::string problem() const;

  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_{nullptr, &PQfinish};
  std::unique_ptr<bool> warned_ = std::make_unique<bool>(false);
  std::unordered_set<const void*> prepared_;
  std::unordered_set<const void*> preparing_;
  std::vector<Expected> expected_;
  std::size_t received_ = 0;
};

/// Tries the hosts in turn, beginning with the last successful one, and prepares the session with
/// `prepare`. Throws ConnectionLost with the errors of all hosts: the error of a standby alone
/// would hide the reason.
std::unique_ptr<Connection> connect(
    const Address& address,
    ServerKind kind,
    std::size_t& preferred,
    Deadline deadline,
    const std::function<void(Connection&, Deadline)>& prepare);

}  // namespace postgres
