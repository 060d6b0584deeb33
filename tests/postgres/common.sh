# shellcheck shell=bash
# PostgreSQL for tests: sourced after tests/tools/common.sh, never run.
#
#   pg_install            missing packages, without the cluster that Debian makes by itself
#   pg_begin              a folder for this run's clusters; gone, with their servers, at pg_end
#   pg_make NAME [LINE..] a cluster with these lines in its configuration, not started
#   pg_start NAME         and wait until it answers
#   pg_stop NAME [MODE]   fast (the default), smart or immediate; fine if it does not run
#   pg_psql NAME ARG...   psql as the superuser; -d names the database, else `postgres`
#   pg_url NAME DATABASE [USER]   a value of --db
#   pg_pid NAME           process id of the server
#   pg_end                stops all of them by their process ids and removes the folder
#
# All run as an unprivileged user, since PostgreSQL refuses root. They listen on a Unix socket in
# their own folder, where everybody may connect; pg_make's lines may add an address.

pg_bin=/usr/lib/postgresql/15/bin
pg_root=
pg_user=

# Debian's default cluster would hold port 5432 and start at boot.
pg_install() {
    local conf=/etc/postgresql-common/createcluster.conf
    install_missing "${postgres_packages[@]}"
    if [ ! -x "$pg_bin/initdb" ]; then
        install_missing postgresql-common
        as_root cp -p "$conf" "$conf.before-payroll"
        echo 'create_main_cluster = false' | as_root tee -a "$conf" >/dev/null
        install_missing postgresql-15
        as_root mv "$conf.before-payroll" "$conf"
    fi
    install_missing postgresql-client-15
}

# pg_as COMMAND...: as the owner of the clusters.
pg_as() {
    if [ "$(id -un)" = "$pg_user" ]; then
        "$@"
    else
        (cd / && exec runuser -u "$pg_user" -- "$@")
    fi
}

pg_begin() {
    pg_user=$(id -un)
    [ "$(id -u)" -ne 0 ] || pg_user=postgres
    pg_root=$(mktemp -d /tmp/payroll-pg-XXXXXX)
    chmod 755 "$pg_root"
    [ "$(id -u)" -ne 0 ] || chown "$pg_user" "$pg_root"
}

# A fixed time zone and order, so that tests behave alike everywhere.
pg_make() {
    local name=$1 data=$pg_root/$1
    shift
    pg_as "$pg_bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
        >"$pg_root/$name.initdb.log" || {
        cat "$pg_root/$name.initdb.log" >&2
        die "initdb failed"
    }
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$pg_root'" \
        "port = $(pg_port "$name")" "max_connections = 200" "shared_buffers = 64MB" \
        "timezone = 'UTC'" "log_min_duration_statement = -1" "$@" |
        pg_as tee -a "$data/postgresql.conf" >/dev/null
}

# The port names the socket, no more: each cluster has its own by its place in the run.
pg_port() {
    local file=$pg_root/$1.port count
    if [ ! -f "$file" ]; then
        count=$(find "$pg_root" -maxdepth 1 -name '*.port' | wc -l)
        echo $((5500 + count)) >"$file"
    fi
    cat "$file"
}

pg_start() {
    pg_as "$pg_bin/pg_ctl" -D "$pg_root/$1" -l "$pg_root/$1.log" -w -t 60 -s start || {
        tail -n 30 "$pg_root/$1.log" >&2
        die "PostgreSQL did not start"
    }
}

pg_stop() {
    [ -f "$pg_root/$1/postmaster.pid" ] || return 0
    pg_as "$pg_bin/pg_ctl" -D "$pg_root/$1" -m "${2:-fast}" -w -t 60 -s stop || true
}

pg_pid() { head -n 1 "$pg_root/$1/postmaster.pid"; }

pg_psql() {
    local name=$1
    shift
    "$pg_bin/psql" -X -q -t -A -v ON_ERROR_STOP=1 -h "$pg_root" -p "$(pg_port "$name")" \
        -U postgres -d postgres "$@"
}

pg_url() {
    local socket=${pg_root//\//%2F}
    echo "postgresql://${3:-postgres}@$socket:$(pg_port "$1")/$2"
}

pg_end() {
    [ -n "$pg_root" ] || return 0
    local file
    for file in "$pg_root"/*/postmaster.pid; do
        [ -f "$file" ] || continue
        kill -CONT "$(head -n 1 "$file")" 2>/dev/null || true  # a frozen one cannot stop
        pg_stop "$(basename "$(dirname "$file")")" immediate
    done
    rm -rf "$pg_root"
    pg_root=
}
