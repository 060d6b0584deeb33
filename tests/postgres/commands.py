#!/usr/bin/python3
"""commands.py: `payroll copy` and `payroll migrate` over PostgreSQL, as an operator uses and misuses them.

For each: the exit status, the line on standard error, and what is in the databases afterwards.
"""

import argparse
import hashlib
import sqlite3
import subprocess

import cluster

TABLES = "account issued_token employee address insert_key debtor webhook_setting webhook_event".split()


class Desk:
    """A server with databases for each test, and files beside them."""

    def __init__(self, run, report):
        self.run, self.report = run, report
        self.server = cluster.Postgres(run, "commands-db", {"fsync": "off"}).make()
        self.server.sql("CREATE ROLE stranger LOGIN")
        self.server.sql("CREATE ROLE service LOGIN")
        self.server.sql("CREATE ROLE locked LOGIN PASSWORD 'another'")
        rules = "local all locked scram-sha-256\nlocal all all trust\n"
        self.server.call("tee", self.server.data / "pg_hba.conf", input_text=rules)
        self.server.sql("SELECT pg_reload_conf()")
        locked = ["domain", "list", "--db", self.address("payroll", "locked")]
        cluster.wait_until(lambda: "no password" in run.operate(*locked)[2], "the server asks for passwords")

    def address(self, database, user="payroll"):
        folder = str(self.run.folder).replace("/", "%2F")
        return f"postgresql://{user}@{folder}:{self.server.port}/{database}"

    def new(self, name, more=""):
        """Another empty database; its address."""
        self.server.sql(f"CREATE DATABASE {name} OWNER payroll{more}")
        return self.address(name)

    def sql(self, name, text):
        return self.server.sql(text, database=name)

    def dump(self, name):
        """All that is in a database. Two lines of the tool are different each time."""
        socket = ["-h", self.run.folder, "-p", self.server.port, "-U", "postgres"]
        text = self.run.call(cluster.BIN / "pg_dump", *socket, name)
        return [line for line in text.splitlines() if "restrict " not in line]

    def file_dump(self, name):
        connection = sqlite3.connect(f"file:{self.run.folder / name}?mode=ro", uri=True)
        lines = list(connection.iterdump())
        connection.close()
        return lines

    def operate(self, *words, text=""):
        return self.run.operate(*words, text=text)

    def lists(self, database):
        """The lists that an operator sees."""
        done = [self.operate(what, "list", "--db", database) for what in LISTED]
        return [printed for status, printed, _ in done if status == 0]


LISTED = ["domain", "user", "employee", "debtor", "webhook"]


def make_business(desk, file):
    """Makes a file with data in all tables; returns the user's token."""
    def command(*words, text=""):
        status, printed, said = desk.operate(*words, "--db", file, text=text)
        if status != 0:
            raise RuntimeError(said)
        return printed.strip()

    command("domain", "add", "acme")
    command("domain", "add", "globex")
    token = command("user", "add", "acme", "alice", text="correct horse\n")
    for domain, number in (("acme", 1), ("acme", 7), ("globex", 9)):
        command("employee", "add", domain, number)
    command("debtor", "add", "globex", 3)
    command("webhook", "add", 3, "Runs", "https://x.example/", "--event", "1,3")
    return token


# --- Copy ------------------------------------------------------------------------------------------


def copy_both_ways(desk):
    check = desk.report.check
    token = make_business(desk, "a.db")
    there = desk.new("moved")
    done = desk.operate("copy", "--from", "a.db", "--to", there)
    desk.report.check_done(done, "copy: a file to PostgreSQL", said="copied everything")
    check(len(desk.lists("a.db")) == 5, "copy: the file is there still")
    check(desk.lists(there) == desk.lists("a.db"), "copy: everything is there", str(desk.lists(there)))
    digest = desk.sql("moved", "SELECT encode(api_token_digest, 'hex') FROM account")
    check(digest == hashlib.sha256(token.encode()).hexdigest(), "copy: with the token's digest", digest)
    number = desk.operate("employee", "add", "acme", "--db", there)
    desk.report.check_done(number, "copy: the next id follows", "10\n", "added employee 10")
    back = desk.operate("copy", "--from", there, "--to", "b.db")
    desk.report.check_done(back, "copy: PostgreSQL to a file", said="copied everything")
    check(desk.lists("b.db") == desk.lists(there), "copy: everything is there again", str(desk.lists("b.db")))


def copy_into_something(desk):
    refused, check = desk.report.check_refused, desk.report.check
    there, before = desk.address("moved"), desk.dump("moved")
    for source in ("a.db", "b.db"):
        done = desk.operate("copy", "--from", source, "--to", there)
        refused(done, "the database of --to holds data already", f"copy: {source} into what holds data")
    check(desk.dump("moved") == before, "copy: what held data is as it was")
    before = desk.file_dump("b.db")
    for source in (there, "a.db"):
        done = desk.operate("copy", "--from", source, "--to", "b.db")
        refused(done, "the database of --to holds data already", f"copy: {source} into a file that holds data")
    check(len(before) > 20 and desk.file_dump("b.db") == before, "copy: the file is as it was")
    for source, same in ((there, there), ("a.db", "a.db"), ("./b.db", "b.db")):
        done = desk.operate("copy", "--from", source, "--to", same)
        refused(done, "the same database", f"copy: {source} into itself")


def copy_from_nothing(desk):
    refused, check = desk.report.check_refused, desk.report.check
    there, none = desk.new("untouched"), desk.new("no_tables")
    cases = [
        ("missing.db", there, "or name another file with --from"),
        (desk.address("no_such_database"), "c.db", "check --from"),
        (none, "c.db", "create them with `payroll migrate`, or name another database with --from"),
        (desk.address("moved", "stranger"), "c.db", "ask its owner for the rights"),
        ("a.db", desk.address("untouched", "stranger"), "run `payroll migrate` as the owner of the tables"),
        ("a.db", desk.address("no_such_database"), "check --to"),
        ("a.db", "no/such/folder.db", "check that its folder exists"),
        ("a.db", "postgresql://u:secret@h/d?secret", "the address after --to cannot be read"),
        ("postgresql://u:secret@[h/d", "c.db", "the address after --from cannot be read"),
        ("a.db", "postgresql://u:secret@h:port/d", "check --to"),
        ("a.db", "postgresql://u:secret@127.0.0.1:1/d", "check --to"),
        ("a.db", desk.address("untouched", "locked:wrong-secret"), "password authentication failed"),
        (desk.address("moved", "locked:wrong-secret"), "c.db", "password authentication failed"),
    ]
    for source, target, expected in cases:
        done = desk.operate("copy", "--from", source, "--to", target)
        refused(done, expected, f"copy: {source} to {target}")
    for database in ("untouched", "no_tables"):
        found = desk.sql(database, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
        check(found == "0", f"copy: nothing was made in {database}", found)
    for name in ("c.db", "missing.db"):
        check(not (desk.run.folder / name).exists(), f"copy: no {name} was made")


def words_out_of_place(desk):
    """The quoted part of a command line that cannot be read."""
    address = "postgresql://u:secret@h/d"
    for words in (
        ["copy", "--from", address, "a.db"],
        ["migrate", address],
        ["migrate", f"--bogus={address}"],
        ["migrate", "--partitions", address],
        ["serve", "--bogus", "host=h password=secret"],
        ["serve", "--port", address],
    ):
        desk.report.check_refused(desk.operate(*words), "see payroll --help", f"words: {' '.join(words)}")


def closed_streams(desk):
    """The next socket would get the number of a closed stream."""
    address = desk.new("closed_streams")
    desk.operate("domain", "add", "acme", "--db", address)
    words = [desk.run.program, "user", "add", "acme", "alice", "--db", address]
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" >&-', "bash", *map(str, words)],
        input="password\n",
        stderr=subprocess.PIPE,
        text=True,
        timeout=cluster.PATIENCE,
        cwd=desk.run.folder,
        **desk.run.as_user(),
    )
    check = desk.report.check
    check(done.returncode == 1, "closed streams: a token that cannot be printed is a failure", str(done.returncode))
    check("the token cannot be written" in done.stderr, "closed streams: the command says so", done.stderr)
    log = desk.run.log("commands-db.log")
    check("invalid frontend message" not in log, "closed streams: the server does not get the token", log[-500:])


def warnings_at_connecting(desk):
    """PostgreSQL warns at each connection to a database whose collations are of another library."""
    address = desk.new("warned")
    desk.operate("migrate", "--db", address)
    desk.server.sql("UPDATE pg_database SET datcollversion = '0' WHERE datname = 'warned'")
    done = desk.operate("domain", "add", "acme", "--db", address)
    desk.report.check_done(done, "warnings: a command says nothing of them", said="added domain")
    server = cluster.Payroll(desk.run, "warned", address, "--auth", "token", "--log-format", "json").start()
    server.stop()
    lines = [line for line in server.tail().splitlines() if not line.startswith(("listening on ", "{"))]
    desk.report.check(not lines, "warnings: the log has only its own lines", lines)


# --- Migrate ---------------------------------------------------------------------------------------


def parts(desk, name):
    """Each partitioned table of a tenant, with its number of partitions."""
    rows = desk.sql(name, "SELECT inhparent::regclass, count(*) FROM pg_inherits GROUP BY 1").split()
    return sorted(row for row in rows if row.split("|")[0] in TABLES)


def check_migrated(desk, what, *words):
    done = desk.operate("migrate", "--db", *words)
    desk.report.check_done(done, f"migrate: {what}", said="has the tables")


def migrate_twice(desk):
    report = desk.report
    fresh = desk.new("fresh")
    check_migrated(desk, "an empty database", fresh)
    report.check(desk.sql("fresh", "SELECT version FROM payroll_schema") == "3", "migrate: it has schema 3")
    report.check(parts(desk, "fresh") == [], "migrate: in whole tables")
    before = desk.dump("fresh")
    check_migrated(desk, "a second time", fresh)
    report.check(len(before) > 200 and desk.dump("fresh") == before, "migrate: it changes nothing")
    done = desk.operate("migrate", "--db", fresh, "--partitions", 4)
    report.check_refused(done, "without partitions; leave out --partitions", "migrate: whole tables in parts")
    report.check(desk.dump("fresh") == before, "migrate: they are as they were")


def migrate_in_parts(desk):
    report = desk.report
    divided = desk.new("divided")
    check_migrated(desk, "in four parts", divided, "--partitions", 4)
    found = parts(desk, "divided")
    report.check(found == sorted(f"{table}|4" for table in TABLES), "migrate: all tables of tenants are", str(found))
    before = desk.dump("divided")
    check_migrated(desk, "in four parts again", divided, "--partitions", 4)
    check_migrated(desk, "without a number of parts", divided)
    for number in (3, 8):
        done = desk.operate("migrate", "--db", divided, "--partitions", number)
        report.check_refused(done, "in 4 parts; leave out --partitions", f"migrate: in {number} parts")
    report.check(desk.dump("divided") == before, "migrate: four parts are as they were")
    done = desk.operate("migrate", "--db", "d.db", "--partitions", 4)
    report.check_refused(done, "--partitions needs PostgreSQL", "migrate: a file in parts")
    report.check(not (desk.run.folder / "d.db").exists(), "migrate: no file was made")


ALLOWED = ["SELECT domain", "SELECT account", "INSERT address", "UPDATE address", "DELETE issued_token"]
DENIED = ["DELETE address", "INSERT account", "UPDATE account", "INSERT employee", "UPDATE payroll_schema"]


def may(desk, name, right):
    verb, table = right.split()
    return desk.sql(name, f"SELECT has_table_privilege('service', '{table}', '{verb}')") == "t"


def migrate_with_grants(desk):
    report = desk.report
    granted = desk.new("granted")
    check_migrated(desk, "with rights for a role", granted, "--grant", "service")
    given = [right for right in ALLOWED + DENIED if may(desk, "granted", right)]
    report.check(given == ALLOWED, "migrate: the role may do what it must, and no more", str(given))
    before = desk.dump("granted")
    check_migrated(desk, "rights a second time", granted, "--grant", "service")
    report.check(desk.dump("granted") == before, "migrate: it changes nothing more")
    for role in ("nobody", 'x"; DROP TABLE address; --'):
        done = desk.operate("migrate", "--db", granted, "--grant", role)
        report.check_refused(done, "CREATE ROLE", f"migrate: rights for {role}")
    done = desk.operate("migrate", "--db", desk.address("granted", "service"), "--grant", "stranger")
    report.check_refused(done, "as the owner of the tables", "migrate: rights from who has none to give")
    report.check(desk.dump("granted") == before, "migrate: rights are as they were")
    desk.sql("granted", "CREATE SCHEMA guarded; GRANT CREATE, USAGE ON SCHEMA guarded TO payroll")
    guarded = granted + "?options=-csearch_path%3Dguarded"
    done = desk.operate("migrate", "--db", guarded, "--grant", "service")
    report.check_refused(done, "run `GRANT USAGE ON SCHEMA guarded TO service` as the owner of the schema", "migrate: rights in the schema of another role")
    desk.sql("granted", "GRANT USAGE ON SCHEMA guarded TO service")
    check_migrated(desk, "with rights in the schema of another role", guarded, "--grant", "service")
    done = desk.operate("migrate", "--db", "a.db", "--grant", "service")
    report.check_refused(done, "is a file", "migrate: rights on a file")


def migrate_what_is_not_ours(desk):
    report = desk.report
    latin = desk.new("latin", " ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    theirs, newer, closed = desk.new("theirs"), desk.new("newer"), desk.new("closed")
    desk.sql("theirs", "CREATE TABLE theirs AS SELECT 1 AS a")
    desk.operate("migrate", "--db", newer)
    desk.sql("newer", "UPDATE payroll_schema SET version = 99")
    cases = [
        ("latin", latin, "ENCODING 'UTF8'"),
        ("theirs", theirs, "holds tables of another program; name another database"),
        ("newer", newer, "install a newer payroll"),
        ("closed", desk.address("closed", "stranger"), "run `payroll migrate` as the owner of the tables"),
        ("closed", desk.address("closed", "locked:wrong-secret"), "password authentication failed"),
        ("closed", closed.replace("closed", "no_such"), "does not exist; check --db"),
    ]
    for name, address, expected in cases:
        before = desk.dump(name)
        done = desk.operate("migrate", "--db", address, "--grant", "service", "--partitions", 2)
        report.check_refused(done, expected, f"migrate: {name}, {expected}")
        report.check(desk.dump(name) == before, f"migrate: {name} is as it was")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    cluster.install()
    report = cluster.Report("commands")
    with cluster.Run() as run:
        desk = Desk(run, report)
        for test in (
            copy_both_ways,
            copy_into_something,
            copy_from_nothing,
            words_out_of_place,
            closed_streams,
            warnings_at_connecting,
            migrate_twice,
            migrate_in_parts,
            migrate_with_grants,
            migrate_what_is_not_ours,
        ):
            test(desk)
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
