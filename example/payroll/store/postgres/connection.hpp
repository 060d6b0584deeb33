// One connection to PostgreSQL, and what goes over it: libpq in pipeline mode, never blocking for
// longer than its caller's deadline, but for the lookup of a host name. Values travel in binary and
// as parameters only: no text of a caller is ever part of a statement, nor of the server's log,
// unless it logs parameters.
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

/// The connection is gone or could not be made. What was under way may have happened or not.
class ConnectionLost : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The deadline is over. What was under way may have happened or not.
class TooLate : public ConnectionLost {
public:
  using ConnectionLost::ConnectionLost;
};

/// The server refused a statement, which has changed nothing, and the connection goes on.
class Refused : public std::runtime_error {
public:
  Refused(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}

  /// Whether this is the SQLSTATE: five characters.
  bool is(std::string_view state) const { return state_ == state; }
  /// Of a class of errors, by the first two characters.
  bool is_of(std::string_view kind) const { return state_.compare(0, 2, kind) == 0; }
  /// Another transaction was in the way: the same again may succeed.
  bool is_conflict() const { return is("40001") || is("40P01"); }
  /// This server does not write: another one may.
  bool is_read_only() const { return is("25006"); }
  /// This server is going away, or lets nobody in: another connection may do better. Connection
  /// says ConnectionLost instead.
  bool is_of_server() const {
    return is("57P01") || is("57P02") || is("57P03") || is("53300") || is_of("08");
  }
  /// Nobody's statement is to blame: disk or memory is full, or the disk fails.
  bool is_of_resources() const { return is("53000") || is("53100") || is("53200") || is("58030"); }

private:
  std::string state_;
};

/// A statement of the store; both texts are literals. The name is what the server knows it by once
/// it is prepared. Parameters are $1, $2 and so on.
struct Statement {
  const char* name;
  const char* sql;
};

/// Marks a string that is stored as bytea.
struct Bytes {
  const std::string& of;
};

/// 128 random bits, the key of a write.
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

/// The rows of a result, gone through one by one.
class Rows {
public:
  Rows() = default;
  explicit Rows(PGresult* result) : result_(result, &PQclear) {}

  /// Goes to the next row, or the first; false after the last.
  bool next() { return ++row_ < (result_ ? PQntuples(result_.get()) : 0); }
  std::size_t size() const {
    return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
  }
  int columns() const { return PQnfields(result_.get()); }
  /// How many rows the statement changed.
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

/// Whether `--db` names a PostgreSQL database: postgresql://..., postgres://..., or libpq's
/// `host=... dbname=...`.
bool is_address(const std::string& db);

/// What may be shown of an address: no password, nor anything else that its owner may mean as one.
std::string printable(const std::string& db);

/// Where servers are: what `--db` says, taken apart, so that each host is tried by itself and for
/// a limited time. libpq moves on only when a host refuses; a frozen one just does not answer.
class Address {
public:
  /// Throws WrongOptions, without a word of the address, which may hold a password. `option` is
  /// where the operator gave it.
  explicit Address(const std::string& db, const char* option = "--db");

  struct Parameter {
    std::string name;
    std::string value;
  };
  using Parameters = std::vector<Parameter>;

  std::size_t hosts() const { return hosts_.size(); }
  const Parameters& host(std::size_t number) const { return hosts_[number]; }
  /// How long one host may take to let us in.
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

/// Which servers a connection may be to.
enum class ServerKind : std::uint8_t { any, primary, standby };

/// Used by one thread at a time. After any exception but Refused it is of no more use.
class Connection {
public:
  /// Connects to one host. Throws ConnectionLost, also if the server is not of that kind, or
  /// TooLate.
  Connection(const Address::Parameters& host, ServerKind kind, Deadline deadline);

  /// Adds a statement to the pipeline. The values must live until it is flushed.
  void send(const Statement& statement, const Values& values = Values{});
  /// Ends the pipeline's present group: a failure within it skips what follows up to here.
  void sync();
  /// The result of the first statement whose result was not taken yet.
  /// Throws Refused; `skipped` for one that was skipped because an earlier one failed.
  Rows receive(Deadline deadline);
  /// Takes the end of a group.
  void receive_sync(Deadline deadline);

  /// Whether receive() has skipped a statement since the last sync.
  static constexpr const char* skipped = "-----";

  /// One statement in a group of its own.
  Rows run(const Statement& statement, const Values& values, Deadline deadline);
  /// One that is not prepared: any text without parameters, one statement.
  Rows execute(const std::string& sql, Deadline deadline);

  /// Whether nothing was heard of its end. Asks the system, not the server.
  bool is_alive() const;
  /// Whether the server has warned since this was asked last: of a commit that did not wait for
  /// its standby, for instance.
  bool was_warned() { return std::exchange(*warned_, false); }

  std::string host() const;
  bool is_remote() const;  ///< whether the server may be on another machine
  /// The value of an option that is in force.
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

/// Tries the hosts in turn, the one that served last first, and sets the session up with `prepare`.
/// Throws ConnectionLost with the errors of all hosts. The error of a standby alone hides the reason.
std::unique_ptr<Connection> connect(
    const Address& address,
    ServerKind kind,
    std::size_t& preferred,
    Deadline deadline,
    const std::function<void(Connection&, Deadline)>& prepare);

}  // namespace postgres
