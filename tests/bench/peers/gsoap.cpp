// gsoap codec ROUNDS MILLISECONDS SERIES | responses FOLDER
// gsoap serve pool|epoll THREADS length|store|chunk [CERTIFICATE KEY]
// gsoap files BYTES FOLDER SERIES
//
// The same services as gSOAP serves them: in process by bytes in memory, and over HTTP, by the pool
// of threads that its manual shows or by a hand-written epoll loop around soap_begin_serve.
// `length`, `store` and `chunk` are its ways to send a response: written twice to learn the length,
// collected first, or in chunks. Prints the port. `files` is one file of so many bytes each way,
// between its client and its pool, as its own type for base64: all of it in memory, since a member
// is there as a whole or not at all; its streams are for attachments only. Built by `build_gsoap`.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <string_view>
#include <thread>

#include "EmployeeService.nsmap"
#include "gsoap_codec.hpp"
#include "transfers.hpp"

namespace {

// --- Data ----------------------------------------------------------------------------------------

// gSOAP only reads the texts that it writes, but asks for char*.
char* text(const std::string& value) { return const_cast<char*>(value.c_str()); }
char* text(const std::optional<std::string>& value) { return value ? text(*value) : nullptr; }

/// Addresses ready to be written, and the strings behind them.
struct ready_addresses {
  std::vector<bench::address_row> rows;
  std::vector<e__EmployeeAddress> items;
  e__ArrayOfEmployeeAddress list{};

  explicit ready_addresses(std::vector<bench::address_row> given) : rows(std::move(given)) {
    for (const bench::address_row& row : rows) {
      e__EmployeeAddress& item = items.emplace_back();
      item.Id = row.id;
      item.Default = row.is_default;
      item.Street = text(row.street);
      item.HouseNumber = text(row.house_number);
      item.HouseNumberAddition = text(row.addition);
      item.PostalCode = text(row.postal_code);
      item.City = text(row.city);
      item.StateProvince = text(row.state);
      item.CountryISOCode = text(row.country);
      item.Type = static_cast<e__AddressType>(row.type);
    }
    list.__sizeEmployeeAddress = static_cast<int>(items.size());
    list.EmployeeAddress = items.data();
  }
};

e__ArrayOfEmployeeAddress* addresses_of(int employee_id) {
  static ready_addresses three(bench::three_addresses());
  static ready_addresses hundred(bench::many_addresses(100));
  static ready_addresses thousand(bench::many_addresses(1'000));
  return employee_id == 1 ? &three.list : employee_id == 100 ? &hundred.list : &thousand.list;
}

d__ArrayOfWebhookSetting* settings() {
  static const std::vector<bench::webhook_row> rows = bench::webhooks();
  static std::deque<std::vector<d__Event>> events;
  static std::vector<d__WebhookSetting> items;
  static d__ArrayOfWebhookSetting list{};
  if (!items.empty()) return &list;
  for (const bench::webhook_row& row : rows) {
    std::vector<d__Event>& own = events.emplace_back();
    for (const bench::event_row& event : row.events) {
      d__Event& one = own.emplace_back();
      one.EventId = event.id;
      one.EventName = text(event.name);
      one.Active = event.active;
    }
    d__WebhookSetting& item = items.emplace_back();
    item.WebhookSettingId = row.id;
    item.Name = text(row.name);
    item.Endpoint = text(row.endpoint);
    item.Active = row.active;
    item.__sizeEvent = static_cast<int>(own.size());
    item.Event = own.data();
  }
  list.__sizeWebhookSetting = static_cast<int>(items.size());
  list.WebhookSetting = items.data();
  return &list;
}

/// Where `files` has them; otherwise nothing that is sent is kept.
std::string folder;

/// In memory of the engine's.
xsd__base64Binary whole_file(soap* soap, const std::string& path) {
  xsd__base64Binary whole{};
  whole.__size = static_cast<int>(std::filesystem::file_size(path));
  const auto size = static_cast<std::size_t>(whole.__size);
  whole.__ptr = static_cast<unsigned char*>(soap_malloc(soap, size));
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!whole.__ptr || !file || std::fread(whole.__ptr, 1, size, file) != size)
    bench::stop_measuring(path + " cannot be read");
  std::fclose(file);
  return whole;
}
void keep_file(const xsd__base64Binary& whole) {
  const auto size = static_cast<std::size_t>(whole.__size);
  std::FILE* const file = std::fopen(bench::arrived_file(folder).c_str(), "wb");
  if (!file || std::fwrite(whole.__ptr, 1, size, file) != size || std::fclose(file) != 0)
    bench::stop_measuring("a file cannot be written");
}

/// Every handler begins with this. A header that stays set would be sent back.
void enter(soap* soap) {
  bench::handler_entered();
  soap->header = nullptr;
}

}  // namespace

// --- Handlers ------------------------------------------------------------------------------------

int e__Address_USCOREGetListCurrent(
    soap* soap, int employee_id, e__Address_USCOREGetListCurrentResponse* response) {
  enter(soap);
  response->Address_USCOREGetListCurrentResult = addresses_of(employee_id);
  return SOAP_OK;
}
int e__Address_USCOREInsertCurrent(
    soap* soap,
    int,
    e__EmployeeAddress* address,
    e__Address_USCOREInsertCurrentResponse* response) {
  enter(soap);
  response->Address_USCOREInsertCurrentResult = address ? 4 : 0;
  return SOAP_OK;
}
int e__Address_USCOREInsertMany(
    soap* soap,
    int,
    int count,
    e__EmployeeAddress*,
    e__Address_USCOREInsertManyResponse* response) {
  enter(soap);
  response->Address_USCOREInsertManyResult = count;
  return SOAP_OK;
}
int d__WebhookSettings_USCOREGet(soap* soap, int, d__WebhookSettings_USCOREGetResponse* response) {
  enter(soap);
  response->WebhookSettings_USCOREGetResult = settings();
  return SOAP_OK;
}
int a__Put(soap* soap, xsd__base64Binary bytes, a__PutResponse* response) {
  enter(soap);
  if (!folder.empty()) keep_file(bytes);
  response->PutResult = bytes.__size;
  return SOAP_OK;
}
int a__Get(soap* soap, int bytes, a__GetResponse* response) {
  enter(soap);
  if (folder.empty()) return SOAP_NO_METHOD;
  response->GetResult = whole_file(soap, bench::sent_file(folder, bytes));
  return SOAP_OK;
}
int a__Wait(soap* soap, int milliseconds, a__WaitResponse* response) {
  enter(soap);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  response->WaitResult = milliseconds;
  return SOAP_OK;
}
int s__GetToken(soap*, char*, char*, s__GetTokenResponse*) { return SOAP_NO_METHOD; }
int s__GetToken2(soap*, char*, char*, s__GetToken2Response*) { return SOAP_NO_METHOD; }
int s__GetTokenWithDomain(soap*, char*, char*, char*, s__GetTokenWithDomainResponse*) {
  return SOAP_NO_METHOD;
}

namespace {

// --- Over HTTP -----------------------------------------------------------------------------------

struct served {
  soap* listener = nullptr;
  int threads = 0;
  bool tls = false;
};

soap* listen(int mode, const char* certificate, const char* key) {
  soap* const listener = soap_new1(mode | SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING);
  listener->bind_flags = SO_REUSEADDR;
  listener->max_keep_alive = 1'000'000'000;
#ifdef WITH_OPENSSL
  if (certificate) {
    // The key and the certificate in one file, as gSOAP wants them.
    const std::string both = std::string(key) + ".both";
    std::ofstream(both) << std::ifstream(key).rdbuf() << std::ifstream(certificate).rdbuf();
    if (soap_ssl_server_context(
            listener,
            SOAP_SSL_DEFAULT,
            both.c_str(),
            nullptr,
            nullptr,
            nullptr,
            nullptr,
            nullptr,
            nullptr) != SOAP_OK) {
      soap_print_fault(listener, stderr);
      std::exit(1);
    }
  }
#else
  if (certificate || key) std::exit(2);
#endif
  if (soap_bind(listener, "127.0.0.1", 0, 1'024) < 0) std::exit(1);
  return listener;
}

int port_of(const soap* listener) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (getsockname(listener->master, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    std::exit(1);
  return ntohs(address.sin_port);
}

/// As in the manual, "How to Create a Multi-Threaded Stand-Alone Service": one thread accepts and
/// queues, each of the others serves a connection until it is closed.
void serve_pool(const served& with) {
  std::mutex lock;
  std::condition_variable filled;
  std::deque<SOAP_SOCKET> queue;
  for (int number = 0; number != with.threads; ++number)
    std::thread([&, own = soap_copy(with.listener)] {
      for (;;) {
        {
          std::unique_lock<std::mutex> hold(lock);
          filled.wait(hold, [&] { return !queue.empty(); });
          own->socket = queue.front();
          queue.pop_front();
        }
#ifdef WITH_OPENSSL
        if (with.tls && soap_ssl_accept(own) != SOAP_OK) {
          soap_destroy(own);
          soap_end(own);
          continue;
        }
#endif
        soap_serve(own);
        soap_destroy(own);
        soap_end(own);
      }
    }).detach();
  for (;;) {
    const SOAP_SOCKET accepted = soap_accept(with.listener);
    if (accepted < 0) continue;
    {
      const std::lock_guard<std::mutex> hold(lock);
      queue.push_back(accepted);
    }
    filled.notify_one();
  }
}

/// One request that has begun to arrive; false when the connection was closed.
bool serve_one(soap* own, SOAP_SOCKET socket) {
  own->socket = socket;
  own->keep_alive = 2;
  own->buflen = own->bufidx = 0;
  if (soap_begin_serve(own) == SOAP_OK && soap_serve_request(own) != SOAP_OK) soap_send_fault(own);
  const bool open = soap_valid_socket(own->socket);
  own->socket = SOAP_INVALID_SOCKET;
  soap_destroy(own);
  soap_end(own);
  return open;
}

/// A context for each thread, not for each connection: a request is read at once or waited for.
void serve_epoll(const served& with) {
  std::vector<int> polls;
  for (int number = 0; number != with.threads; ++number) {
    const int poll = polls.emplace_back(epoll_create1(0));
    std::thread([poll, own = soap_copy(with.listener)] {
      own->recv_timeout = 10;
      std::vector<epoll_event> events(512);
      for (;;) {
        const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int event = 0; event < ready; ++event)
          serve_one(own, events[static_cast<std::size_t>(event)].data.fd);
      }
    }).detach();
  }
  for (std::size_t turn = 0;; ++turn) {
    const SOAP_SOCKET accepted = soap_accept(with.listener);
    if (accepted < 0) continue;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = accepted;
    epoll_ctl(polls[turn % polls.size()], EPOLL_CTL_ADD, accepted, &event);
  }
}

// --- Files ---------------------------------------------------------------------------------------

/// `way` is given a context of the client and the endpoint. A server for each way, so that none has
/// memory of the other. In chunks, so that nothing is written twice or collected.
template <class Way>
void transfer_file(const std::string& series, const char* name, std::int64_t bytes, Way&& way) {
  const served with{listen(SOAP_IO_CHUNK, nullptr, nullptr), 1};
  const std::string endpoint = "http://127.0.0.1:" + std::to_string(port_of(with.listener));
  const pid_t server = fork();
  if (server < 0) bench::stop_measuring("fork");
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it
    serve_pool(with);
  }
  soap* const client = soap_new1(SOAP_IO_CHUNK | SOAP_C_UTFSTRING);
  const auto transfer = [&](std::int64_t size) {
    if (way(client, endpoint.c_str(), static_cast<int>(size)) != SOAP_OK) {
      soap_print_fault(client, stderr);
      bench::stop_measuring(series + ", " + name + ": no response");
    }
    soap_destroy(client);
    soap_end(client);
  };
  bench::measure_transfer(series, name, std::to_string(server), folder, bytes, transfer);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  soap_free(client);
  soap_free(with.listener);
}

void files_both_ways(const std::string& series, std::int64_t bytes) {
  const auto put = [](soap* client, const char* endpoint, int size) {
    a__PutResponse response{};
    const xsd__base64Binary sent = whole_file(client, bench::sent_file(folder, size));
    return soap_call_a__Put(client, endpoint, "", sent, &response);
  };
  const auto get = [](soap* client, const char* endpoint, int size) {
    a__GetResponse response{};
    if (soap_call_a__Get(client, endpoint, "", size, &response) == SOAP_OK)
      keep_file(response.GetResult);
    return client->error;
  };
  transfer_file(series, "to a server", bytes, put);
  transfer_file(series, "from a server", bytes, get);
}

int usage() {
  std::fprintf(
      stderr,
      "gsoap codec ROUNDS MS SERIES | responses FOLDER | files BYTES FOLDER SERIES |\n"
      "      serve pool|epoll THREADS length|store|chunk [CERTIFICATE KEY]\n");
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "codec" && count == 5)
    return measure_all(
               bench::codec_cases(),
               arguments[4],
               {std::max(1, std::atoi(arguments[2])),
                std::chrono::milliseconds(std::atoi(arguments[3]))}),
           0;
  if (what == "responses" && count == 3)
    return write_responses(bench::codec_cases(), arguments[2]), 0;
  signal(SIGPIPE, SIG_IGN);
  if (what == "files" && count == 5) {
    folder = arguments[3];
    return files_both_ways(arguments[4], std::atoll(arguments[2])), 0;
  }
  if (what != "serve" || (count != 5 && count != 7)) return usage();
  const std::string_view sending = arguments[4];
  const int mode = sending == "store"   ? SOAP_IO_STORE
                   : sending == "chunk" ? SOAP_IO_CHUNK
                                        : SOAP_IO_DEFAULT;
  served with;
  with.threads = std::max(1, std::atoi(arguments[3]));
  with.tls = count == 7;
  with.listener =
      listen(mode, with.tls ? arguments[5] : nullptr, with.tls ? arguments[6] : nullptr);
  std::printf("%d\n", port_of(with.listener));
  std::fflush(stdout);
  if (std::string_view(arguments[2]) == "pool")
    serve_pool(with);
  else
    serve_epoll(with);
}
