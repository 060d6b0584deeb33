// A server for clients with MTOM, which returns its requests, `Pour` as streams. `Last` returns the
// number of bytes in the bodies of the last `Carry`, which distinguishes parts from base64. A
// number as argument is dispatcher_options::mtom_min_bytes.
//
// `mtom_server URL 1.1|1.2 NAME` is a soapsvc client instead, for other servers (NAME) with this
// service.
#include <algorithm>
#include <atomic>
#include <iostream>

#include "soapsvc.hpp"

namespace {

struct Parcel {
  std::string text;
  soapsvc::binary content;
};
struct Load {
  std::string text;
  soapsvc::binary content;
};
struct Flow {
  std::string text;
  soapsvc::stream<std::byte> content;
};
struct Sizes {
  std::uint64_t in{}, out{};
};

std::vector<std::byte> read(const soapsvc::stream<std::byte>& from) {
  std::vector<std::byte> all, room(10'000);
  while (const std::size_t got = from.read(room))
    all.insert(all.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
  return all;
}

soapsvc::stream<std::byte> stream_of(std::vector<std::byte> bytes) {
  return [bytes = std::move(bytes), at = std::size_t()](std::span<std::byte> to) mutable {
    const std::size_t size = std::min(to.size(), bytes.size() - at);
    std::copy_n(bytes.data() + at, size, to.data());
    at += size;
    return size;
  };
}

class Parcels {
public:
  Parcel carry(const Load& request) {
    if (request.text == "refused") throw soapsvc::fault(soapsvc::fault_code::client, request.text);
    return {request.text, request.content};
  }
  Flow pour(const Flow& request) { return {request.text, stream_of(read(request.content))}; }
  Sizes last() { return {in_, out_}; }
  void remember(const soapsvc::call_report& report) {
    if (report.operation != "Carry") return;
    in_ = report.bytes_in;
    out_ = report.bytes_out;
  }

private:
  std::atomic<std::size_t> in_ = 0, out_ = 0;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Parcel> =
    record("Parcel", field("Text", &Parcel::text), field("Content", &Parcel::content));
template <>
inline constexpr auto soapsvc::schema<Load> =
    record(field("Text", &Load::text), field("Content", &Load::content));
template <>
inline constexpr auto soapsvc::schema<Flow> =
    record(field("Text", &Flow::text), field("Content", &Flow::content));
template <>
inline constexpr auto soapsvc::schema<Sizes> =
    record("Sizes", field("In", &Sizes::in), field("Out", &Sizes::out));
template <>
inline constexpr auto soapsvc::schema<Parcels> = service(
    "Parcels",
    ns("urn:parcels"),
    mtom,
    operation("Carry", &Parcels::carry),
    operation("Pour", &Parcels::pour),
    operation("Last", &Parcels::last));

namespace {

int serve(const char* mtom_min_bytes) {
  Parcels parcels;
  soapsvc::dispatcher_options options;
  if (mtom_min_bytes) options.mtom_min_bytes = std::stoul(mtom_min_bytes);
  options.on_call = [&](const soapsvc::call_report& report) { parcels.remember(report); };
  soapsvc::host host{std::move(options)};
  host.add(parcels);
  std::cout << "listening on http://127.0.0.1:" << host.bind({"127.0.0.1", 0}) << std::endl;
  host.serve();
  return 0;
}

/// All byte values, including line ends and beginnings of boundaries.
soapsvc::binary bytes(std::size_t size) {
  soapsvc::binary made;
  for (std::size_t at = 0; at != size; ++at)
    made.bytes.push_back(static_cast<std::uint8_t>(at * 7 + at / 256));
  return made;
}

/// A soapsvc client. The response of the peer has the Content-Type of the request before the text.
class caller {
public:
  caller(const std::string& url, const std::string& version, const std::string& name)
      : begin_(name + "'s server " + version + ", MTOM: "), url_(url) {
    if (version == "1.2") options_.version = soapsvc::soap_version::v1_2;
    options_.on_response = [this](const auto& response) { type_ = response.content_type; };
  }
  int run() {
    for (const std::size_t least : {0U, 1'024U}) {
      options_.mtom_min_bytes = least;
      for (const std::size_t size : {0U, 10U, 1'024U, 1'000'000U}) {
        const std::string what =
            std::to_string(size) + " bytes, parts from " + std::to_string(least);
        attempt(what, [&] { carry(what, size); });
        attempt(what + ", streams", [&] { pour(what + ", streams", size); });
      }
    }
    attempt("a fault", [this] { refuse(); });
    std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl;
    return failed_ == 0 ? 0 : 1;
  }

private:
  void carry(const std::string& what, std::size_t size) {
    const Parcel back = client().call(&Parcels::carry, Load{text_, bytes(size)});
    check(what, back.content == bytes(size), std::to_string(back.content.bytes.size()));
    look(what, back.text);
  }
  void pour(const std::string& what, std::size_t size) {
    const soapsvc::binary sent = bytes(size);
    const auto all = std::as_bytes(std::span(sent.bytes));
    const Flow back =
        client().call(&Parcels::pour, Flow{text_, stream_of({all.begin(), all.end()})});
    const std::vector<std::byte> got = read(back.content);
    check(what, std::ranges::equal(got, all), std::to_string(got.size()));
    look(what, back.text);
  }
  void look(const std::string& what, const std::string& text) {
    check(what + ", sent as parts", text == "multipart/related " + text_, text);
    check(what + ", answered in parts", type_.starts_with("multipart/related"), type_);
  }
  void refuse() {
    try {
      client().call(&Parcels::carry, Load{"refused", bytes(1'024)});
      check("a fault", false, "none");
    } catch (const soapsvc::remote_fault& refused) {
      check("a fault", refused.reason() == "refused", refused.what());
    }
  }
  template <class Step> void attempt(const std::string& what, Step step) {
    try {
      step();
    } catch (const std::exception& wrong) {
      check(what, false, wrong.what());
    }
  }
  void check(const std::string& what, bool good, const std::string& found) {
    ++(good ? passed_ : failed_);
    std::cout << (good ? "ok   " : "FAIL ") << begin_ << what << (good ? "" : ": " + found)
              << std::endl;
  }
  soapsvc::client<Parcels> client() const { return {url_, options_}; }

  const std::string begin_, url_;
  const std::string text_ = reinterpret_cast<const char*>(u8"Straße <&>");
  soapsvc::client_options options_;
  std::string type_;
  int passed_ = 0, failed_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count == 4) return caller(arguments[1], arguments[2], arguments[3]).run();
  return serve(count == 2 ? arguments[1] : nullptr);
}
