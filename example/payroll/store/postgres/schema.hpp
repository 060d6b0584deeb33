// Creates, migrates and checks the tables in PostgreSQL.
#pragma once

#include <string>
#include <vector>

#include "store/postgres/connection.hpp"

namespace postgres {

/// The database, and how its tables are created.
struct SchemaOptions {
  std::string shown;  ///< the name of the database in messages
  bool create = true;  ///< create the tables if they do not exist
  int partitions = 0;  ///< number of partitions of a tenant's tables, by domain; 0: none
};

/// Settings of every session. `timeout` also bounds each statement at the server.
void prepare_session(Connection& session, std::chrono::milliseconds timeout, Deadline deadline);

/// Creates or migrates the tables if needed. Refuses a database that is not UTF-8, belongs to
/// another program or to a newer payroll. If several processes call it, one migrates and the others
/// wait. Throws UnusableDatabase, or the exceptions of Connection.
void bring_up_to_date(Connection& session, const SchemaOptions& options, Deadline deadline);

/// The statements that grant a role the rights for `payroll serve` in the session's schema, and no
/// others.
std::vector<std::string> grants_for(
    const std::string& role, Connection& session, Deadline deadline);

/// Throws UnusableDatabase with the names of the missing rights of the session's role.
void check_rights(Connection& session, const SchemaOptions& options, Deadline deadline);

/// The identity of the server, which changes with each promotion. "": unknown.
std::string identity_of(Connection& session, Deadline deadline);

}  // namespace postgres
