# shellcheck shell=bash disable=SC2034  # the variables are for the scripts that source this
# Shared by the project's scripts: sourced, never run. Expects `set -euo pipefail` in the caller.
#
# Packages are installed only if something is missing. So a prepared machine, or one with tools from
# elsewhere, is not changed and needs neither root nor a network.

export LC_ALL=C.UTF-8
# The interpreter of Debian's python3-* modules; another one may come first on PATH.
python=/usr/bin/python3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

# From here on, every compiler is ccache's link to it, also in Meson, CMake, scripts and commands of
# the README. Its folder survives build folders and clones. Precompiled headers need the sloppiness:
# their users are found by the content of the header. With CCACHE_DEPEND, a file is not preprocessed
# before its first compilation.
export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/soapsvc-ccache}
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-20G}
[[ ":$PATH:" == *:/usr/lib/ccache:* ]] || PATH=/usr/lib/ccache:$PATH

# Every printed line of progress starts with the script's name, so that nested runs stay readable.
say() { printf '[%s] %s\n' "${progress_name:-$(basename "$0")}" "$*"; }
die() {
    printf '[%s] %s\n' "${progress_name:-$(basename "$0")}" "$*" >&2
    exit 1
}

# Prints the comment block at the top of the calling script.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "packages are missing and neither root nor sudo is at hand; as root, run: $*"
    fi
}

# missing PACKAGE[:COMMAND]...: sets `wanted` to the missing packages. A package with a command
# counts as present if the command is, however it was installed; other packages are checked by name.
missing() {
    local item package command
    wanted=()
    for item in "$@"; do
        package=${item%%:*}
        command=${item#"$package"}
        command=${command#:}
        if [ -n "$command" ]; then
            command -v "$command" >/dev/null || wanted+=("$package")
        elif ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$'; then
            wanted+=("$package")
        fi
    done
}

# install_missing PACKAGE[:COMMAND]...  One script at a time: steps run beside each other.
install_missing() {
    local wanted=()
    missing "$@"
    [ "${#wanted[@]}" -gt 0 ] || return 0
    {
        flock 8
        missing "$@"  # another script may have installed the packages meanwhile
        [ "${#wanted[@]}" -eq 0 ] || install_packages "${wanted[@]}" 8>&-
    } 8>"${TMPDIR:-/tmp}/soapsvc-install.$(id -u).lock"
}

install_packages() {
    local wanted=("$@")
    command -v apt-get >/dev/null || die "missing, and there is no apt-get: ${wanted[*]}"
    say "installing: ${wanted[*]}"
    local log
    log=$(mktemp)
    as_root apt-get -q -o Acquire::Retries=3 update >"$log" 2>&1 ||
        say "apt-get update reported errors, going on with the lists at hand"
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
        -o Dpkg::Use-Pty=0 install --no-install-recommends "${wanted[@]}" >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "could not install: ${wanted[*]}"
    fi
    rm -f "$log"
}

# need_compiler COMMAND: warns if the compiler is older than the header requires.
need_compiler() {
    local version least=12
    command -v "$1" >/dev/null || die "the compiler $1 is missing; Debian has it in ${1/clang++/clang}"
    version=$("$1" -dumpversion)
    [[ "$1" != *clang* ]] || least=14
    [ "${version%%.*}" -ge "$least" ] || die "$1 is version $version; it must be $least or newer"
}

# The packages of the header, of the example, and of the tests. cpp-httplib is another server,
# behind which the header is tested and with which it is compared.
header_packages=(g++:g++ pkg-config:pkg-config libssl-dev zlib1g-dev librapidxml-dev)
build_packages=(meson:meson ninja-build:ninja python3:/usr/bin/python3 ccache:ccache)
test_packages=(catch2 libcpp-httplib-dev libcurl4-openssl-dev libxml2-utils:xmllint libxerces-c-samples:SAX2Count
    unicode-data python3-zeep xmlsec1:xmlsec1)
example_packages=(libsqlitecpp-dev libsqlite3-dev libcli11-dev libspdlog-dev
    libutf8proc-dev nlohmann-json3-dev)
# Programs that read installed files: other build systems, systemd, and groff for manual pages.
package_packages=(cmake:cmake systemd:systemd-analyze procps:/bin/kill groff-base:groff)
# Test programs under sanitizers have 50 MB: lld links one in 1.4 s of processor time, ld in 5.5.
clang_packages=(clang:clang++ libclang-rt-14-dev lld:ld.lld)
# Other servers through which the soapsvc client calls.
server_packages=(apache2-bin:/usr/sbin/apache2 lighttpd:/usr/sbin/lighttpd nghttp2-proxy:/usr/sbin/nghttpx
    libcurl4-openssl-dev)
postgres_packages=(libpq-dev)  # optional for the example; tests that need it install it

# configure FOLDER [MESON ARGUMENT...]: sets up a build folder. An existing folder keeps its
# settings; only new arguments are applied. With arguments, the build is for tests: warnings are
# errors, and it uses -O2, like benchmarks, because -O3 takes a third longer. Without arguments, it
# is the build of a user.
configure() {
    mkdir -p "$1"
    {
        flock 8
        configure_now "$@" 8>&-
    } 8>"$1/.lock"
}

configure_now() {
    local folder=$1 mode=() compiler_options=()
    shift
    need_compiler "${CXX:-g++}"
    # A test's unit fits into memory, and without garbage collection g++ takes a fifth less time.
    [[ "${CXX:-g++}" == *clang* ]] ||
        compiler_options=(-Dcpp_args='--param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000')
    [ $# -eq 0 ] || set -- -Dwerror=true -Doptimization=2 "${compiler_options[@]}" "$@"
    if [ -f "$folder/build.ninja" ]; then
        [ $# -gt 0 ] || return 0
        if [ "$(cat "$folder/.configured" 2>/dev/null)" = "$*" ]; then
            [ -z "$(find "$root" -maxdepth 3 -name 'meson[._]*' -newer "$folder/build.ninja")" ] ||
                ninja -C "$folder" build.ninja >/dev/null
            return 0
        fi
        mode=(--reconfigure)
    fi
    say "configuring ${folder#"$root"/}"
    meson setup "${mode[@]}" "$@" "$folder" "$root" >"$folder/.configure.log" 2>&1 || {
        tail -n 40 "$folder/.configure.log" >&2
        die "meson setup failed"
    }
    [ $# -eq 0 ] || echo "$*" >"$folder/.configured"
}

# configure_clang [FOLDER [MESON ARGUMENT...]]: the build by clang++ with sanitizers, which can be
# fuzzed. The instrumentation of comparisons doubles the time of tests, so it is omitted. It is
# unoptimised, except the library. With all checks, g++ takes ten times as long for the same units.
# Meson's check for undefined symbols does not support clang's runtime.
clang_folder=$root/build-sanitizers
configure_clang() {
    CXX=clang++ CXX_LD=lld configure "${1:-$clang_folder}" -Dexample=enabled -Dimport=enabled -Dtests=enabled \
        -Dbuildtype=plain -Doptimization=0 -Db_sanitize=address,undefined -Db_lundef=false "${@:2}"
}

# A prefix for commands that compile. A compiler touches much memory once. With large pages, which
# most machines provide on request, clang++ takes a third less time. Not for tests that measure
# memory.
compiling=(env GLIBC_TUNABLES=glibc.malloc.hugetlb=1)

# build FOLDER [TARGET...]: quiet unless it fails. Two scripts that build in one folder take turns.
build() {
    local folder=$1
    shift
    {
        flock 8
        "${compiling[@]}" ninja -C "$folder" "$@" >"$folder/.build.log" 2>&1 8>&-
    } 8>"$folder/.lock" || {
        grep -v '^\[' "$folder/.build.log" | head -n 60 >&2
        ! grep -q 'No space left on device' "$folder/.build.log" ||
            die "the disk is full: free some space, or move the folder or CCACHE_DIR, and run again"
        die "the build failed; all of its output is in ${folder#"$root"/}/.build.log"
    }
}

# work_folder NAME: sets scratch to an empty folder, always with the same name, so that ccache
# recognises compilations there. It belongs to this script until the script ends.
work_folder() {
    scratch=$root/build-scratch/$1
    mkdir -p "$root/build-scratch"
    exec 9>"$scratch.lock"
    flock 9
    rm -rf "$scratch"
    mkdir "$scratch"
}

# needs_of FOLDER TEST...: the targets to build there for these tests.
needs_of() {
    local folder=$1
    shift
    meson introspect "$folder" --tests --targets | "$python" -c '
import json, os, sys
told = json.load(sys.stdin)
wanted = {need for test in told["tests"] if test["name"] in sys.argv[2:] for need in test["depends"]}
for target in told["targets"]:
    if target["id"] in wanted:
        print(*(os.path.relpath(path, sys.argv[1]) for path in target["filename"]), sep="\n")
' "$(cd "$folder" && pwd)" "$@"
}

# tests_of FOLDER SUITE...: the names of the tests of these suites.
# Call configure before. With --no-rebuild, meson does not start ninja, which can fail beside another ninja.
tests_of() {
    local folder=$1
    shift
    meson test -C "$folder" --no-rebuild --list "${@/#/--suite=}" 2>/dev/null | sed -n 's/^.* \/ //p' | sort
}

# free_port: a port that stays free until a server is started on it.
free_port() {
    "$python" "$root/tests/tools/free_port.py"
}

# make_keys FOLDER KIND...: keys for signatures: an authority, a caller and the service with its
# certificates, a caller with a pinned certificate, and a stranger; each NAME.pem with NAME.key.
# KIND is an argument of `openssl req -newkey`.
make_keys() {
    local name by is_authority kind=("${@:2}")
    mkdir -p "$1"
    for name in authority pinned stranger caller service; do
        by=()
        is_authority=FALSE
        case "$name" in
        authority) is_authority=TRUE ;;
        caller | service) by=(-CA "$1/authority.pem" -CAkey "$1/authority.key") ;;
        esac
        openssl req -x509 -newkey "${kind[@]}" -nodes -days 2 -subj "/CN=$name" "${by[@]}" \
            -addext "basicConstraints=critical,CA:$is_authority" \
            -keyout "$1/$name.key" -out "$1/$name.pem" 2>"$1/openssl.log" || {
            cat "$1/openssl.log" >&2
            return 1
        }
    done
}

# start_server LOGFILE COMMAND...: starts it, waits for its ready line; sets server_pid, server_url.
start_server() {
    local log=$1 tries=0
    shift
    : >"$log"  # here, so that the ready line of an earlier server is not read
    "$@" </dev/null >"$log" 2>"$log.err" &
    server_pid=$!
    server_url=
    while [ -z "$server_url" ]; do
        server_url=$(sed -n 's/^listening on //p' "$log" | head -n 1)
        [ -n "$server_url" ] && break
        tries=$((tries + 1))
        if [ "$tries" -gt "${server_wait:-200}" ] || ! kill -0 "$server_pid" 2>/dev/null; then
            cat "$log" "$log.err" >&2
            stop_server
            say "no ready line from: $*" >&2
            return 1
        fi
        sleep 0.1
    done
}

# stop_server: stops the server of start_server by its process id; kills it if it does not end. Sets
# server_status to its exit status.
stop_server() {
    [ -n "${server_pid:-}" ] || return 0
    kill "$server_pid" 2>/dev/null || true
    local tries=0
    while kill -0 "$server_pid" 2>/dev/null && [ "$tries" -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -9 "$server_pid" 2>/dev/null || true
    server_status=0
    wait "$server_pid" 2>/dev/null || server_status=$?
    server_pid=
}
