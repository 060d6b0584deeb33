# shellcheck shell=bash
# The section `postgres` of tests/bench/run, which sources this: calls over HTTP on PostgreSQL, beside
# pgbench, which runs the same statements, prepared, over the same socket with as many connections as
# our pools have. Both in turn, with whatever else the machine does. A call that lists has two: the user that
# holds the token, and the list; pgbench also runs the second alone.

pg_connections=6 # --db-connections, by default

# pgbench_rate CASE CONNECTIONS FILE: its transactions a second. The token is the one of pg_token.
pgbench_rate() {
    local rate
    rate=$("$pg_bin/pgbench" -n -M prepared -h "$pg_root" -p "$(pg_port one)" -U postgres \
        -c "$2" -j "$(nproc)" -T "$seconds" -D domain=1 -D employee=1 \
        -D "token=$pg_token" -D "today=$(date -u +%Y-%m-%d)" -f "$3" bench 2>"$scratch/err" |
        sed -n 's/^tps = \([0-9.]*\).*/\1/p')
    [ -n "$rate" ] || die "pgbench failed: $(tail -n 3 "$scratch/err")"
    put postgres pgbench "$1" rps "$rate"
}

# pg_load SERIES CASE SCRIPT PROCESSES: wrk on each of the processes, in equal parts.
pg_load() {
    local each=$((64 / $4)) at total=0 errors=0 pids=() latency=0
    for at in $(seq "$4"); do
        timeout $((seconds + 20)) wrk -t 1 -c "$each" -d "${seconds}s" --timeout 10s \
            -s "$scratch/$3.lua" "http://127.0.0.1:${pg_ports[at - 1]}$service" \
            >"$scratch/wrk.$at" 2>&1 &
        pids+=($!)
    done
    for at in "${pids[@]}"; do wait "$at" || die "wrk failed: $(tail -n 3 "$scratch"/wrk.*)"; done
    for at in $(seq "$4"); do
        total=$(awk -v a="$total" '$2 == "rps" {a += $3} END {print a}' "$scratch/wrk.$at")
        errors=$(awk -v a="$errors" '$2 == "errors" {a += $3} END {print a}' "$scratch/wrk.$at")
        latency=$(awk -v a="$latency" '$2 == "p99" && $3 > a {a = $3} END {print a}' \
            "$scratch/wrk.$at")
    done
    put postgres "$1" "$2" rps "$total"
    put postgres "$1" "$2" p99 "$latency"
    put postgres "$1" "$2" errors "$errors"
}

pg_pids=()
pg_ports=()
pg_serve() {
    local at
    for at in $(seq "$1"); do
        begin "$folder/example/payroll" serve --demo --port 0 --log-level error \
            --db "$(pg_url one bench)"
        pg_pids+=("$server")
        pg_ports+=("$port")
        server=
    done
}
pg_stop_serving() {
    for server in "${pg_pids[@]}"; do stop; done
    pg_pids=()
    pg_ports=()
}

run_postgres() {
    . "$here/../postgres/common.sh"
    prepare wrk:wrk curl:curl
    pg_install
    configure "$folder" -Dexample=enabled -Dtests=disabled -Dbuildtype=plain -Doptimization=2 \
        -Dpostgres=enabled
    build "$folder" tests/bench/codec example/payroll
    pg_begin
    trap 'pg_stop_serving; pg_end; stop; [ -z "$scratch" ] || rm -rf "$scratch"' EXIT
    pg_make one "shared_buffers = 256MB"
    pg_start one
    pg_psql one -c "CREATE DATABASE bench"
    mkdir -p "$scratch/requests"
    "$folder/tests/bench/codec" requests "$scratch/requests"
    wrk_script "$scratch/list.lua" "$scratch/requests/list-3.xml"
    wrk_script "$scratch/insert.lua" "$scratch/requests/insert.xml" '
local before, after = wrk.body:match("^(.*<EmployeeId>)1(</EmployeeId>.*)$")
function request()
    return wrk.format(nil, nil, nil, before .. (1000 + math.random(10000)) .. after)
end'
    pg_serve 1
    pg_psql one -d bench -c \
        "INSERT INTO employee (domain_id, id) SELECT 1, i FROM generate_series(1001, 11000) i" \
        -c "VACUUM ANALYZE"
    pg_stop_serving
    local round processes
    pg_token=$(pg_psql one -d bench -c \
        "SELECT encode(api_token_digest, 'hex') FROM account WHERE domain_id = 1 AND name = 'alice'")
    tail -n 1 "$here/pgbench/list.sql" >"$scratch/list.sql"
    : >"$results/postgres"
    for round in $(seq "$rounds"); do
        say "postgres: round $round of $rounds"
        pgbench_rate list "$pg_connections" "$here/pgbench/list.sql"
        pgbench_rate "list, its statement alone" "$pg_connections" "$scratch/list.sql"
        pgbench_rate insert "$pg_connections" "$here/pgbench/insert.sql"
        pgbench_rate "insert, 64 connections" 64 "$here/pgbench/insert.sql"
        for processes in 1 2 4; do
            pg_serve "$processes"
            pg_load "$processes processes" list list "$processes"
            pg_load "$processes processes" insert insert "$processes"
            pg_stop_serving
        done
    done
    pg_end
    trap 'stop; [ -z "$scratch" ] || rm -rf "$scratch"' EXIT
}
