// The tables in PostgreSQL: made and brought up to date here, and looked over before use.
#pragma once

#include <string>
#include <vector>

#include "store/postgres/connection.hpp"

namespace postgres {

/// Which database, and how its tables are made.
struct SchemaOptions {
  std::string shown;  ///< the database as messages name it
  bool create = true;  ///< make the tables if there are none
  int partitions = 0;  ///< into how many parts a tenant's tables are made, by domain; 0: whole ones
};

/// Settings of every session. `timeout` bounds each statement on the server's side too.
void prepare_session(Connection& session, std::chrono::milliseconds timeout, Deadline deadline);

/// Refuses a database in which text is not UTF-8, or that another program has made, or a newer
/// payroll; makes or migrates the tables if that is left to do. Of several processes one does it,
/// and the others wait. Throws UnusableDatabase, or whatever keeps the database from answering.
void bring_up_to_date(Connection& session, const SchemaOptions& options, Deadline deadline);

/// The statements that give a role what `payroll serve` needs in the session's schema, and nothing
/// else.
std::vector<std::string> grants_for(
    const std::string& role, Connection& session, Deadline deadline);

/// Throws UnusableDatabase that names what this session's role may not do of it.
void check_rights(Connection& session, const SchemaOptions& options, Deadline deadline);

/// Which server this is, as it says itself: changes with each promotion. "": it cannot tell.
std::string identity_of(Connection& session, Deadline deadline);

}  // namespace postgres
