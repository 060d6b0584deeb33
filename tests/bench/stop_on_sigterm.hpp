// Servers of the benchmarks end on SIGTERM, as a server should.
#pragma once

#include <csignal>

namespace bench {

template <class Server> class stop_on_sigterm {
public:
  explicit stop_on_sigterm(Server& server) {
    target = &server;
    std::signal(SIGTERM, [](int) { target->stop(); });
  }
  stop_on_sigterm(const stop_on_sigterm&) = delete;
  stop_on_sigterm& operator=(const stop_on_sigterm&) = delete;

private:
  static inline Server* target = nullptr;
};

}  // namespace bench
