// bare THREADS: an epoll loop that parses nothing. To whatever arrives in one read it answers with
// the same bytes as ours does, headers and all. The time above it is the price of HTTP and SOAP;
// its own time is the kernel's and the load generator's. Prints its port.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string response;

void loop(int poll) {
  std::vector<epoll_event> events(512);
  std::vector<char> bytes(65'536);
  for (;;) {
    const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int event = 0; event < ready; ++event) {
      const int socket = events[static_cast<std::size_t>(event)].data.fd;
      const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
      if (got <= 0)
        close(socket);
      else if (send(socket, response.data(), response.size(), MSG_NOSIGNAL) < 0)
        close(socket);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "bare THREADS FILE_WITH_BODY\n"), 2;
  std::ostringstream body;
  body << std::ifstream(arguments[2]).rdbuf();
  response = "HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: " +
             std::to_string(body.str().size()) + "\r\n\r\n" + body.str();

  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener, 1'024) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return 1;
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);

  std::vector<int> polls;
  for (int number = 0; number < std::atoi(arguments[1]); ++number)
    std::thread(loop, polls.emplace_back(epoll_create1(0))).detach();
  if (polls.empty()) return 2;
  for (std::size_t turn = 0;; ++turn) {
    const int socket = accept(listener, nullptr, nullptr);
    if (socket < 0) continue;
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    epoll_ctl(polls[turn % polls.size()], EPOLL_CTL_ADD, socket, &event);
  }
}
