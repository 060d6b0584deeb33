// growth rows|database MOST ROUNDS FOLDER | connections|streams MOST ROUNDS | files BYTES FOLDER
//
// The cost of one call while one of these grows by powers of ten: the rows of the requested
// employee, from 10 to MOST; the addresses in the database, from 1,000 to MOST, three for each
// employee; the waiting connections, from 10 to MOST; or the megabytes of a stream, from 1 to MOST
// by factors of sixteen, with the cost of each megabyte, as base64 and by MTOM. The first two run
// in process on SQLite, through the example's service; the others over HTTP with a server in
// another process. (Growth of the message is `codec growth`.) The section `files` measures one file
// of this size in each direction.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "measure.hpp"
#include "services.hpp"
#include "stop_on_sigterm.hpp"
#include "store/demo.hpp"
#include "store/sqlite/store.hpp"
#include "streams.hpp"
#include "transfers.hpp"

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "growth: %s\n", why.c_str());
  std::exit(1);
}

// --- Rows and databases --------------------------------------------------------------------------

/// Own SQL, because an operator's commands would take hours for ten million rows. The rows are not
/// in the order of employees, as after many years; the statements of the calls are those of the
/// store.
void run_sql(const std::string& file, const std::string& sql) {
  sqlite3* db = nullptr;
  char* problem = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK ||
      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &problem) != SQLITE_OK)
    give_up(problem ? problem : "the database cannot be opened");
  sqlite3_close(db);
}

/// `count` addresses for the `employees` from `first` on, in turn.
std::string address_rows(int count, int first, int employees) {
  const auto number = [](int value) { return std::to_string(value); };
  return "PRAGMA synchronous = OFF; BEGIN;"
         "INSERT OR IGNORE INTO employee (id, domain_id) WITH RECURSIVE n (i) AS (SELECT 0 UNION "
         "ALL SELECT i + 1 FROM n WHERE i + 1 < " +
         number(employees) + ") SELECT " + number(first) +
         " + i, 1 FROM n;"
         "INSERT INTO address (employee_id, is_default, street, house_number, "
         "house_number_addition, postal_code, city, state_province, country_iso_code, type, "
         "first_day) WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 "
         "< " +
         number(count) + ") SELECT " + number(first) + " + i % " + number(employees) + ", i < " +
         number(employees) +
         ", 'Keizersgracht', i % 1000, 'A', '1015 CJ', 'Amsterdam', 'Noord-Holland', 'NL', i % "
         "6, "
         "'2020-01-01' FROM n; COMMIT;";
}

/// The example's service on a database, called in process.
class Payroll {
public:
  explicit Payroll(const std::string& file)
      : store_(options_of(file)),
        callers_(store_, system_moment, AuthPolicy::domain),
        employees_(callers_, store_, system_moment),
        services_({.ns_base = bench::ns_base}) {
    services_.add(employees_);
  }
  static SqliteOptions options_of(const std::string& file) {
    SqliteOptions options;
    options.file = file;
    return options;
  }
  /// The response must have this number of addresses.
  void list(const std::string& request, std::size_t bytes) { ask(request, bytes); }
  void insert(const std::string& request) { ask(request, 0); }

private:
  void ask(const std::string& body, std::size_t bytes) {
    static constexpr soapsvc::http_header type{"Content-Type", "text/xml"};
    soapsvc::http_request request;
    request.target = "/soap/v3/EmployeeService.asmx";
    request.headers = std::span(&type, 1);
    request.body = body;
    services_.handle(request, response_);
    if (response_.status != 200 || response_.body.size() < bytes) give_up(response_.body);
  }

  SqliteStore store_;
  Authenticator callers_;
  EmployeeService employees_;
  soapsvc::dispatcher services_;
  soapsvc::http_response response_;
};

std::string new_database(const std::string& folder) {
  const std::string file = folder + "/growth.db";
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(file + suffix);
  SqliteStore store(Payroll::options_of(file));
  store.fill(demo_data(today(system_moment)));
  return file;
}

/// The median over `rounds` of the time of one call, after a first call. Reads are measured in
/// processor time; calls that wait for a disk or a server in real time.
template <class Clock, class Call> double median_ns(int rounds, int times, Call&& call) {
  call();
  std::vector<double> taken;
  for (int round = 0; round != rounds; ++round)
    taken.push_back(bench::ns_of<Clock>(static_cast<std::size_t>(times), call));
  return bench::median(taken);
}

void rows_of_employee(int most, int rounds, const std::string& folder) {
  const std::string file = new_database(folder);
  for (int count = 10, employee = 1'000; count <= most; count *= 10, ++employee) {
    run_sql(file, address_rows(count, employee, 1));
    Payroll payroll(file);
    const std::string request = bench::list_request(employee);
    const auto bytes = static_cast<std::size_t>(count) * 300;
    const int times = std::max(1, 20'000 / count);
    const double ns =
        median_ns<bench::thread_clock>(rounds, times, [&] { payroll.list(request, bytes); });
    bench::row("growth", "rows of an employee", std::to_string(count), "ns", ns);
  }
}

/// Lists and inserts of employees all over the database; the inserts are durable.
void addresses_in_database(int most, int rounds, const std::string& folder) {
  for (int count = 1'000; count <= most; count *= 10) {
    const std::string file = new_database(folder);
    const int employees = count / 3;
    run_sql(file, address_rows(count, 1'000, employees));
    Payroll payroll(file);
    std::vector<std::string> lists, inserts;
    for (std::int64_t turn = 0; turn != 1'000; ++turn) {
      const int employee = 1'000 + static_cast<int>(turn * 7'919 % employees);
      lists.push_back(bench::list_request(employee));
      inserts.push_back(bench::insert_request(employee));
    }
    std::size_t next = 0;
    const auto list = [&] { payroll.list(lists[next++ % lists.size()], 1'000); };
    const auto insert = [&] { payroll.insert(inserts[next++ % inserts.size()]); };
    for (int turn = 0; turn != 1'000; ++turn)
      list();  // the requested rows are in memory, as in daily use
    const std::string name = std::to_string(count);
    bench::row(
        "growth",
        "list, addresses stored",
        name,
        "ns",
        median_ns<bench::thread_clock>(rounds, 1'000, list));
    bench::row(
        "growth",
        "insert, addresses stored",
        name,
        "ns",
        median_ns<bench::clock>(rounds, 20, insert));
  }
  new_database(folder);  // removes gigabytes of data
}

// --- Connections ---------------------------------------------------------------------------------

void unseen() {}

int connect_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 ||
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("no connection; is the limit of open files too low?");
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

void ask(int socket, const std::string& request) {
  std::string response;
  char bytes[16'384];
  if (::send(socket, request.data(), request.size(), 0) < 0) give_up("send");
  while (response.find("</soap:Envelope>") == std::string::npos) {
    const ssize_t got = ::recv(socket, bytes, sizeof bytes, 0);
    if (got <= 0) give_up("the server ended a connection");
    response.append(bytes, static_cast<std::size_t>(got));
  }
  if (response.compare(0, 12, "HTTP/1.1 200") != 0) give_up(response);
}

/// Serves in a child process; returns its id and port.
template <class Service> std::pair<pid_t, int> begin_server(Service& service) {
  int ends[2];
  if (::pipe(ends) != 0) give_up("pipe");
  const pid_t child = ::fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it
    soapsvc::dispatcher_options options;
    soapsvc::host_options server;
    options.ns_base = bench::ns_base;
    server.timeouts.idle = std::chrono::minutes(10);
    options.limits.max_stream_bytes = std::uint64_t{1} << 40;
    soapsvc::host host(options, server);
    host.add(service);
    const int port = host.bind({"127.0.0.1", 0});
    const bench::stop_on_sigterm stop(host);
    if (::write(ends[1], &port, sizeof port) < 0) std::_Exit(1);
    host.serve();
    std::_Exit(0);
  }
  int port = 0;
  if (::read(ends[0], &port, sizeof port) != sizeof port) give_up("the server does not start");
  return {child, port};
}

void end_server(pid_t server) {
  ::kill(server, SIGTERM);
  for (int turn = 0; turn != 500; ++turn) {
    if (::waitpid(server, nullptr, WNOHANG) == server) return;
    ::usleep(10'000);
  }
  ::kill(server, SIGKILL);
}

double resident_kb(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, 6, "VmRSS:") == 0) return std::stod(line.substr(6));
  give_up("no memory figures");
}

void waiting_connections(int most, int rounds) {
  const std::string body = bench::list_request(1);
  const std::string request =
      "POST /soap/v3/EmployeeService.asmx HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml; "
      "charset=utf-8\r\nSOAPAction: \"\"\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  bench::Employees<unseen> employees;
  const auto [server, port] = begin_server(employees);
  std::vector<int> sockets;
  const int active = connect_to(port);
  for (int turn = 0; turn != 1'000; ++turn)
    ask(active, request);
  const double empty = resident_kb(server);
  for (int count = 10; count <= most; count *= 10) {
    while (sockets.size() < static_cast<std::size_t>(count)) {
      sockets.push_back(connect_to(port));
      ask(sockets.back(), request);
    }
    const std::string name = std::to_string(count);
    const double ns = median_ns<bench::clock>(rounds, 500, [&] { ask(active, request); });
    bench::row("growth", "connections that wait", name, "ns", ns);
    const double each = (resident_kb(server) - empty) / count;
    bench::row("growth", "connections that wait", name, "kb_each", each);
  }
  end_server(server);
}

// --- Streams -------------------------------------------------------------------------------------

constexpr std::int64_t megabyte = 1'000'000;

/// Time and memory of `call`, which is told how many bytes, for one megabyte and for more.
template <class Call>
void measure_streams(
    const std::string& name, const std::string& server, int most, int rounds, Call&& call) {
  call(megabyte);  // the caches are filled
  for (int count = 1; count <= most; count *= 16) {
    const double idle = bench::idle_kb(server) + bench::idle_kb("self");
    std::vector<double> taken;
    for (int round = 0; round != (count < 256 ? rounds : 1); ++round) {
      const auto begun = bench::clock::now();
      call(count * megabyte);
      taken.push_back(
          std::chrono::duration<double, std::nano>(bench::clock::now() - begun).count());
    }
    const std::string size = std::to_string(count);
    bench::row("growth", name, size, "ns", bench::median(taken) / count);
    const double more = bench::peak_kb(server) + bench::peak_kb("self") - idle;
    bench::row("growth", name, size, "kb_each", std::max(more, 1.0));
  }
}

template <class Service>
soapsvc::client<Service> client_of(
    const std::string& service, int port, soapsvc::client_options options = {}) {
  options.ns_base = bench::ns_base;
  options.limits.max_stream_bytes = std::uint64_t{1} << 40;
  return soapsvc::client<Service>(
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/" + service + ".asmx", options);
}

template <bool HasParts> void long_streams(int most, int rounds) {
  using Service = bench::Streams<HasParts>;
  Service streams;
  const auto [server, port] = begin_server(streams);
  auto calls = client_of<Service>("Streams", port);
  const auto upload = [&](std::int64_t size) {
    if (calls.call(&Service::put, bench::Content{bench::made_bytes(size)}) != size)
      give_up("bytes lack");
  };
  const auto upload_items = [&](std::int64_t size) {
    if (calls.call(&Service::put_items, bench::Items{bench::made_items(size)}) != size / 100)
      give_up("items lack");
  };
  const auto download = [&](std::int64_t size) {
    if (bench::count_bytes(calls.call(&Service::get, bench::Wanted{size})) != size)
      give_up("bytes lack");
  };
  const auto download_items = [&](std::int64_t size) {
    if (bench::count_items(calls.call(&Service::get_items, bench::Wanted{size})) != size / 100)
      give_up("items lack");
  };
  const std::string there = std::to_string(server);
  const auto measure = [&](const std::string& name, auto&& call) {
    measure_streams("MB of " + name, there, most, rounds, call);
  };
  measure(HasParts ? "bytes to a server by MTOM" : "bytes to a server", upload);
  measure(HasParts ? "bytes from a server by MTOM" : "bytes from a server", download);
  if (!HasParts) {
    measure("items to a server", upload_items);
    measure("items from a server", download_items);
  }
  end_server(server);
}

// --- Files ---------------------------------------------------------------------------------------

/// Keeps each upload in a file, and sends files.
class Files {
public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {}
  std::int64_t put(const bench::Content& sent) {
    const std::string path = bench::arrived_file(folder_);
    return static_cast<std::int64_t>(soapsvc::write_file(sent.bytes, path));
  }
  soapsvc::stream<std::byte> get(const bench::Wanted& wanted) {
    return soapsvc::read_file(bench::sent_file(folder_, wanted.bytes));
  }

private:
  std::string folder_;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Files> =
    service("Files", operation("Put", &Files::put), operation("Get", &Files::get));

namespace {

/// `way` is given the client. A server for each way, so that none has memory of the other.
template <class Way>
void transfer_files(
    const std::string& name, const std::string& folder, std::int64_t bytes, Way&& way) {
  Files files(folder);
  const auto [server, port] = begin_server(files);
  soapsvc::client_options unpacked;
  unpacked.accept_gzip = false;  // gSOAP's client does not ask for it
  auto calls = client_of<Files>("Files", port, unpacked);
  const auto transfer = [&](std::int64_t size) { way(calls, size); };
  bench::measure_transfer("ours", name, std::to_string(server), folder, bytes, transfer);
  end_server(server);
}

void files_both_ways(std::int64_t bytes, const std::string& folder) {
  transfer_files("to a server", folder, bytes, [&](auto& calls, std::int64_t size) {
    calls.call(&Files::put, bench::Content{soapsvc::read_file(bench::sent_file(folder, size))});
  });
  transfer_files("from a server", folder, bytes, [&](auto& calls, std::int64_t size) {
    const auto arriving = calls.call(&Files::get, bench::Wanted{size});
    soapsvc::write_file(arriving, bench::arrived_file(folder));
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  const int most = count > 2 ? std::atoi(arguments[2]) : 0;
  const int rounds = count > 3 ? std::max(1, std::atoi(arguments[3])) : 1;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (what == "rows" && count == 5)
    rows_of_employee(most, rounds, arguments[4]);
  else if (what == "database" && count == 5)
    addresses_in_database(most, rounds, arguments[4]);
  else if (what == "connections" && count == 4)
    waiting_connections(most, rounds);
  else if (what == "streams" && count == 4)
    long_streams<false>(most, rounds), long_streams<true>(most, rounds);
  else if (what == "files" && count == 4)
    files_both_ways(std::atoll(arguments[2]), arguments[3]);
  else
    return std::fprintf(
               stderr,
               "growth rows|database MOST ROUNDS FOLDER | connections|streams MOST ROUNDS |\n"
               "       files BYTES FOLDER\n"),
           2;
}
