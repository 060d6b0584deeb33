// An imitation of what newer releases of cpp-httplib (0.15 to 0.53) offer, as far as the header names
// it or their changes are known to have broken others: declarations only, to compile against. What
// changed since 0.11: enqueue returns bool (0.15), process_request takes addresses (0.18), Stream has
// duration (0.19) and wait_readable, wait_writable (0.20), ssl_context became tls_context.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#define CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_VERSION "0.53.0"

using socket_t = int;

namespace httplib {

using Headers = std::unordered_multimap<std::string, std::string>;
using Ranges = std::vector<std::pair<ssize_t, ssize_t>>;
using ContentReceiverWithProgress =
    std::function<bool(const char* data, size_t size, size_t offset, size_t total)>;

struct Request {
    std::string method, path, target, body, remote_addr, local_addr;
    int local_port = -1;
    Headers headers;
    Ranges ranges;
    ContentReceiverWithProgress content_receiver;
};

struct Response {
    int status = -1;
    std::string body;
    bool has_header(const std::string& key) const;
    std::string get_header_value(
        const std::string& key, const char* otherwise = "", size_t id = 0) const;
    void set_header(const std::string& key, const std::string& value);
    void set_content(std::string&& content, const std::string& type);
    void set_content(const std::string& content, const std::string& type);
};

class Stream {
public:
    virtual ~Stream() = default;
    virtual bool wait_readable() const = 0;
    virtual bool wait_writable() const = 0;
    virtual time_t duration() const = 0;
};

class TaskQueue {
public:
    virtual ~TaskQueue() = default;
    virtual bool enqueue(std::function<void()> task) = 0;
    virtual void shutdown() = 0;
};

class ThreadPool final : public TaskQueue {
public:
    explicit ThreadPool(size_t threads, size_t most_queued = 0);
    bool enqueue(std::function<void()> task) override;
    void shutdown() override;
};

class Server {
public:
    using Handler = std::function<void(const Request&, Response&)>;
    enum class HandlerResponse { Handled, Unhandled };
    using HandlerWithResponse = std::function<HandlerResponse(const Request&, Response&)>;

    virtual ~Server();
    virtual bool is_valid() const;
    Server& Get(const std::string& pattern, Handler handler);
    Server& Post(const std::string& pattern, Handler handler);
    Server& Put(const std::string& pattern, Handler handler);
    Server& Patch(const std::string& pattern, Handler handler);
    Server& Delete(const std::string& pattern, Handler handler);
    Server& Options(const std::string& pattern, Handler handler);
    template <class ErrorHandler>
    Server& set_error_handler(ErrorHandler&&) {
        return *this;
    }
    Server& set_pre_routing_handler(HandlerWithResponse handler);
    Server& set_payload_max_length(size_t length);
    Server& set_tcp_nodelay(bool on);
    Server& set_keep_alive_max_count(size_t count);
    Server& set_socket_options(std::function<void(socket_t)> options);
    bool bind_to_port(const std::string& host, int port, int flags = 0);
    int bind_to_any_port(const std::string& host, int flags = 0);
    bool listen_after_bind();
    bool is_running() const;
    void stop();
    std::function<TaskQueue*()> new_task_queue;

protected:
    bool process_request(
        Stream& stream,
        const std::string& remote_addr,
        int remote_port,
        const std::string& local_addr,
        int local_port,
        bool close_connection,
        bool& connection_closed,
        const std::function<void(Request&)>& setup_request);

private:
    virtual bool process_and_close_socket(socket_t socket);
};

class SSLServer : public Server {
public:
    SSLServer(
        const char* certificate,
        const char* key,
        const char* client_ca_file = nullptr,
        const char* client_ca_folder = nullptr);
    void* tls_context() const;
};

namespace detail {

class gzip_compressor {
public:
    using Callback = std::function<bool(const char* data, size_t size)>;
    bool compress(const char* data, size_t size, bool last, Callback callback);
};

class gzip_decompressor {
public:
    using Callback = std::function<bool(const char* data, size_t size)>;
    bool is_valid() const;
    bool decompress(const char* data, size_t size, Callback callback);
};

}  // namespace detail
}  // namespace httplib
