// A Desk behind cpp-httplib's server, in place of a host.
#pragma once

#include <httplib.h>

#include "../net.hpp"

namespace net {

/// Serves on a free port of 127.0.0.1 in a thread until its end.
class mounted {
public:
  explicit mounted(
      host_setup options = quick_options(),
      std::unique_ptr<httplib::Server> by = std::make_unique<httplib::Server>(),
      soapsvc::listener_role who = soapsvc::listener_role::everyone)
      : services(std::move(options)), own(std::move(by)) {
    services.add(desk);
    own->Get("/other", [](const auto&, auto& to) { to.set_content("mine", "text/plain"); });
    soapsvc::mount(*own, services, who);
    own->set_keep_alive_timeout(1);
    own->set_default_headers({{"Date", "Fri, 27 Nov 2026 12:00:00 GMT"}});  // as a host sends it
    port = own->bind_to_any_port("127.0.0.1");
  }
  ~mounted() {
    own->stop();
    if (thread_.joinable()) thread_.join();
  }
  mounted(const mounted&) = delete;
  mounted& operator=(const mounted&) = delete;

  void serve() {
    thread_ = std::thread([this] { own->listen_after_bind(); });
    if (!eventually([this] { return own->is_running(); }))
      throw std::runtime_error("cpp-httplib does not serve");
  }

  Desk desk;
  soapsvc::dispatcher services;
  std::unique_ptr<httplib::Server> own;
  int port = 0;

private:
  std::thread thread_;
};

/// The same, serving at once.
class mounted_server : public mounted {
public:
  mounted_server() { serve(); }
};

}  // namespace net
