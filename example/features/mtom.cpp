// MTOM in both directions: the bytes are parts outside of the envelope, not base64 in it.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Photo {
  std::string name;
  soapsvc::binary content;
};
template <>
inline constexpr auto soapsvc::schema<Photo> =
    record(field("Name", &Photo::name), field("Content", &Photo::content));

class Album {
public:
  /// Returns the photo, upside down.
  Photo turn(const Photo& photo) {
    Photo turned = photo;
    std::reverse(turned.content.bytes.begin(), turned.content.bytes.end());
    return turned;
  }
};
template <>
inline constexpr auto soapsvc::schema<Album> =
    service("Album", ns("urn:album"), mtom, operation("Turn", &Album::turn));

std::string type_of(std::string_view content_type) {
  return std::string(content_type.substr(0, content_type.find(';')));
}

int main() {
  Album album;
  soapsvc::dispatcher_options options;
  options.mtom_min_bytes = 1'024;  // shorter fields stay base64
  options.interceptors = {[](soapsvc::intercepted_call& call) {
    std::printf("request:  %s\n", type_of(*call.http().header("Content-Type")).c_str());
    call.proceed();
  }};
  soapsvc::host host{options};
  host.add(album);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  soapsvc::client<Album> client{
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Album.asmx",
      {.on_response = [](const soapsvc::http_response& response) {
        std::printf("response: %s\n", type_of(response.content_type).c_str());
      }}};
  for (const std::size_t size : {100U, 1'000'000U}) {
    Photo photo{"sea.jpg", {std::vector<std::uint8_t>(size)}};
    photo.content.bytes.front() = 7;
    const Photo turned = client.call(&Album::turn, photo);
    std::printf(
        "%zu bytes, the last is %d\n", turned.content.bytes.size(), turned.content.bytes.back());
  }
  host.stop();
  serving.join();
}

// Output:
// request:  multipart/related
// response: multipart/related
// 100 bytes, the last is 7
// request:  multipart/related
// response: multipart/related
// 1000000 bytes, the last is 7
