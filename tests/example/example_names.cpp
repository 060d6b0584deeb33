// Names of users and domains: two spellings of one name are equal when it is added and at sign-on.
// Invisible characters are refused. An older database is migrated, or unchanged if its names
// collide.
#include "auth/name.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "example.hpp"
#include "payroll.hpp"

using namespace example;

namespace {

/// The character with that number, in UTF-8.
std::string u(unsigned character) {
  std::string text;
  const auto continuation = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) return {static_cast<char>(character)};
  if (character < 0x800) {
    text += static_cast<char>(0xC0U | (character >> 6U));
  } else {
    if (character < 0x10000) {
      text += static_cast<char>(0xE0U | (character >> 12U));
    } else {
      text += static_cast<char>(0xF0U | (character >> 18U));
      continuation(12);
    }
    continuation(6);
  }
  continuation(0);
  return text;
}

const std::string composed = "Zo" + u(0xEB);
const std::string decomposed = "Zoe" + u(0x308);
const std::string unseen = "un" + u(0x200B) + "seen";

/// A database as version 1 of the schema left it.
void make_old(const std::string& file, const std::vector<std::string>& sql) {
  { SqliteStore store(options_for(file)); }
  SQLite::Database db(file, SQLite::OPEN_READWRITE);
  for (const std::string& each : sql)
    db.exec(each);
  db.exec("PRAGMA user_version = 1");
}

std::string old_domain(int id, const std::string& name) {
  return "INSERT INTO domain (id, name) VALUES (" + std::to_string(id) + ", '" + name + "')";
}

std::string old_user(int id, int domain, const std::string& name) {
  return "INSERT INTO user (id, domain_id, name, password_salt, password_hash, scrypt_n, "
         "scrypt_r, scrypt_p, api_token_digest) VALUES (" +
         std::to_string(id) + ", " + std::to_string(domain) + ", '" + name +
         "', x'00', x'00', 16, 8, 1, zeroblob(32))";
}

std::vector<std::string> user_names(SqliteStore& store) {
  std::vector<std::string> names;
  for (const auto& row : store.list_users())
    names.push_back(row.name);
  return names;
}

std::string dump(const std::string& file) {
  SQLite::Database db(file);
  std::string rows;
  for (const char* table : {"domain", "user"}) {
    SQLite::Statement all(db, std::string("SELECT id, hex(name) FROM ") + table);
    while (all.executeStep())
      rows += all.getColumn(0).getString() + ' ' + all.getColumn(1).getString() + '\n';
  }
  return rows + db.execAndGet("PRAGMA user_version").getString();
}

}  // namespace

TEST_CASE("a name is compared in its composed form, and otherwise unchanged", "[names]") {
  CHECK(normal_name(decomposed) == composed);
  CHECK(normal_name(composed) == composed);
  CHECK(normal_name(u(0x212B)) == u(0xC5));  // the unit sign is equal to the letter
  CHECK(normal_name(u(0x1100) + u(0x1161)) == u(0xAC00));
  CHECK(normal_name("a" + u(0x323) + u(0x307)) == normal_name("a" + u(0x307) + u(0x323)));
  // Case, other scripts, compatibility forms and invisible characters make another name.
  for (const std::string& name :
       {std::string("Alice"),
        std::string("alice"),
        u(0x430) + "lice",
        u(0xFF41) + "lice",
        unseen,
        u(0xFB01),
        std::string(),
        std::string("a b")}) {
    INFO(spelled_out(name));
    CHECK(normal_name(name) == name);
  }
  const std::string broken = "a\xFF" + decomposed;
  CHECK(normal_name(broken) == broken);
  std::string too_long;
  while (too_long.size() <= longest_name)
    too_long += "e" + u(0x308);
  CHECK(normal_name(too_long) == too_long);
}

TEST_CASE("a new name may contain all visible characters", "[names]") {
  for (const std::string& name :
       {std::string("alice"),
        std::string("O'Brien"),
        "M" + u(0xFC) + "ller & S" + u(0xF6) + "hne " + u(0x2013) + " X",
        u(0x410) + u(0x43B),
        u(0x5E9) + u(0x5DC),
        u(0x7530) + ' ' + u(0x592A),
        composed,
        decomposed,
        "x" + u(0x301),
        u(0x20AC) + " 5"}) {
    INFO(spelled_out(name));
    CHECK(name_problem(name).empty());
  }
}

TEST_CASE("a new name must not contain invisible or look-alike characters", "[names]") {
  const auto [name, told] = GENERATE(table<std::string, std::string>(
      {{"", "must not be empty"},
       {" a", "must not begin or end"},
       {"a  b", "two spaces"},
       {"a\nb", "control characters"},
       {"a" + u(0x85) + "b", "\\u{0085}, which is invisible"},
       {"a" + u(0x200B) + "b", "\\u{200B}, which is invisible"},
       {"a" + u(0x200D) + "b", "\\u{200D}, which is invisible"},
       {"a" + u(0x2060) + "b", "\\u{2060}, which is invisible"},
       {u(0xFEFF) + "alice", "\\u{FEFF}, which is invisible"},
       {"a" + u(0xAD) + "b", "\\u{00AD}, which is invisible"},
       {"a" + u(0x202E) + "b", "\\u{202E}, which is invisible"},
       {"a" + u(0x2066) + "b", "\\u{2066}, which is invisible"},
       {"a" + u(0x34F) + "b", "\\u{034F}, which is invisible"},
       {"a" + u(0x3164) + "b", "\\u{3164}, which is invisible"},
       {"a" + u(0x115F) + "b", "\\u{115F}, which is invisible"},
       {"a" + u(0xFE0F) + "b", "\\u{FE0F}, which is invisible"},
       {"a" + u(0xE0041), "\\u{E0041}, which is invisible"},
       {"a" + u(0xA0) + "b", "\\u{00A0}, which is invisible"},
       {"a" + u(0x3000) + "b", "\\u{3000}, which is invisible"},
       {"a" + u(0x2028) + "b", "\\u{2028}, which is invisible"},
       {"a" + u(0xE000), "\\u{E000}, which is invisible"},
       {"a" + u(0x378), "\\u{0378}, which is invisible"},
       {u(0xFF41) + "lice", "\\u{FF41}; write its usual form"},
       {u(0xFB01), "\\u{FB01}; write its usual form"},
       {u(0x301) + "a", "the mark \\u{0301} without a letter"},
       {"a " + u(0x301), "the mark \\u{0301} without a letter"},
       {"a\xFF", "UTF-8"},
       {std::string(longest_name + 1, 'a'), "must not be longer"}}));
  INFO(spelled_out(name) << ": " << name_problem(name));
  CHECK(name_problem(name).find(told) != std::string::npos);
}

TEST_CASE("a name is escaped so that it differs visibly from others", "[names]") {
  CHECK(spelled_out("alice") == "alice");
  CHECK(spelled_out(decomposed) == "Zoe\\u{0308}");
  CHECK(spelled_out(composed) == "Zo\\u{00EB}");
  CHECK(spelled_out("a b\xFF") == "a\\u{0020}b\\u{FFFD}");
}

TEST_CASE("a user may sign on with composed or decomposed letters", "[names]") {
  Payroll payroll;
  REQUIRE(payroll.store.add_domain(composed) == AdminStore::Outcome::done);
  const NewUser user{
      composed, composed, hash_password("secret", cheap_cost), digest_of("token-of-zoe")};
  REQUIRE(payroll.store.add_user(user) == AdminStore::Outcome::done);
  Authenticator& callers = payroll.callers;
  for (const std::string& name : {composed, decomposed})
    for (const std::string& domain : {composed, decomposed}) {
      const AuthHeaderWithDomain full{name, "token-of-zoe", domain};
      CHECK(callers.token_by_password(name, "secret", domain, {}).size() == 43);
      CHECK(callers.token_by_api_token(name, "token-of-zoe", {}).size() == 43);
      CHECK_NOTHROW(callers.domain_of(full, {}));
      CHECK_NOTHROW(callers.domain_of(AuthHeaderWithDomain{{}, {}, domain}, {}));
    }
  const std::string other = composed + u(0x200B);
  CHECK_THROWS(callers.token_by_password(other, "secret", composed, {}));
  CHECK_THROWS(callers.token_by_api_token(other, "token-of-zoe", {}));
  CHECK_THROWS(callers.domain_of(AuthHeaderWithDomain{{}, {}, other}, {}));
}

TEST_CASE("failures count for a user in every spelling of the name", "[names][pacing]") {
  Payroll payroll;
  for (int count = 0; count != 6; ++count) {
    const std::string& name = count % 2 == 0 ? composed : decomposed;
    CHECK_THROWS(payroll.callers.token_by_api_token(name, "wrong", {}));
  }
  CHECK(payroll.delays.size() == 1);
}

TEST_CASE("an operator adds and finds names in either form", "[names][cli]") {
  Shell shell;
  const auto quoted = [](const std::string& name) { return " '" + name + '\''; };
  shell.expect("domain add" + quoted(decomposed));
  const std::string twice = shell.run("domain add" + quoted(composed)).err;
  CHECK(twice.find("exists already") != std::string::npos);
  shell.expect("user add" + quoted(composed) + quoted(decomposed), "x\n");
  CHECK(shell.expect("user list") == composed + '\t' + composed + "\tenabled");
  shell.expect("user disable" + quoted(decomposed) + quoted(decomposed));
  const Outcome refused = shell.run("user add" + quoted(composed) + quoted(unseen), "x\n");
  CHECK(refused.status != 0);
  CHECK(refused.err.find("\\u{200B}, which is invisible") != std::string::npos);
  CHECK(count_of(refused.err, "\n") == 1);
  CHECK(shell.run("domain add" + quoted(unseen)).status != 0);
}

TEST_CASE("old names are converted to the form of lookups", "[names]") {
  const Folder folder;
  const std::string file = folder.file("old.db");
  make_old(
      file,
      {old_domain(1, decomposed),
       old_domain(2, "b"),
       old_user(1, 1, decomposed),
       old_user(2, 2, decomposed),
       old_user(3, 2, unseen)});
  SqliteStore store(options_for(file));
  CHECK(store.list_domains() == std::vector<std::string>{composed, "b"});
  CHECK(user_names(store) == std::vector<std::string>{composed, composed, unseen});
  CHECK(store.find_passwords("b", composed, 4).holders.size() == 2);
  // Old names that would be refused today still work.
  CHECK(store.find_passwords("b", normal_name(unseen), 4).holders.size() == 1);
  CHECK(store.disable_user("b", unseen) == AdminStore::Outcome::done);
}

TEST_CASE("colliding names are reported, and none is changed", "[names]") {
  const Folder folder;
  const std::string file = folder.file("old.db");
  std::vector<std::string> rows{old_domain(1, "a"), old_domain(2, "b")};
  rows.push_back(old_user(7, 2, decomposed));
  std::string told;
  SECTION("two users of a domain") {
    rows.push_back(old_user(8, 2, composed));
    told = "in table user: Zoe\\u{0308} (id 7), Zo\\u{00EB} (id 8); nothing was changed";
  }
  SECTION("one of them disabled") {
    rows.push_back(old_user(8, 2, composed));
    rows.push_back("UPDATE user SET disabled = 1 WHERE id = 8");
    told = "in table user: Zoe\\u{0308} (id 7), Zo\\u{00EB} (id 8); nothing was changed";
  }
  SECTION("two domains") {
    rows.push_back(old_domain(3, composed));
    rows.push_back(old_domain(4, decomposed));
    told = "in table domain: Zo\\u{00EB} (id 3), Zoe\\u{0308} (id 4); nothing was changed";
  }
  make_old(file, rows);
  const std::string before = dump(file);
  const std::string refusal = refusal_of(options_for(file));
  INFO(refusal);
  CHECK(refusal.find(told) != std::string::npos);
  CHECK(refusal.find('\n') == std::string::npos);
  CHECK(dump(file) == before);
  // The instruction in the error fixes the problem.
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE user SET name = 'another' WHERE id = 8; "
          "UPDATE domain SET name = 'another' WHERE id = 4");
  CHECK(refusal_of(options_for(file)) == "accepted");
}
