// gsoap_parrot THREADS: the service of calls.cpp as gSOAP serves it, by the pool of threads that
// its manual shows: a thread has one connection until that ends. Prints the port. Built by `calls`.
#include <arpa/inet.h>
#include <signal.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "Parrot.nsmap"
#include "soapH.h"

int p__Say(soap*, char* text, p__SayResponse* response) {
  response->SayResult = text;
  return SOAP_OK;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  soap* const listener = soap_new1(SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING);
  listener->bind_flags = SO_REUSEADDR;
  listener->max_keep_alive = 1'000'000'000;  // requests of one connection
  if (soap_bind(listener, "127.0.0.1", 0, 1'024) < 0) return 1;
  sockaddr_in address{};
  socklen_t length = sizeof address;
  getsockname(listener->master, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::mutex lock;
  std::condition_variable filled;
  std::deque<SOAP_SOCKET> queue;
  for (int number = 0; number != std::atoi(arguments[1]); ++number)
    std::thread([&, own = soap_copy(listener)] {
      for (;;) {
        {
          std::unique_lock<std::mutex> hold(lock);
          filled.wait(hold, [&] { return !queue.empty(); });
          own->socket = queue.front();
          queue.pop_front();
        }
        soap_serve(own);
        soap_destroy(own);
        soap_end(own);
      }
    }).detach();
  for (;;) {
    const SOAP_SOCKET accepted = soap_accept(listener);
    if (accepted < 0) continue;
    {
      const std::lock_guard<std::mutex> hold(lock);
      queue.push_back(accepted);
    }
    filled.notify_one();
  }
}
