// gSOAP's codec in process: one context with bytes in memory in place of a socket, and no HTTP
// around them. Included after the generated headers.
#pragma once

#include <cstring>
#include <fstream>
#include <string_view>

#include "measure.hpp"
#include "messages.hpp"
#include "soapH.h"

class Codec {
public:
  Codec() : soap_(soap_new1(SOAP_ENC_PLAIN | SOAP_C_UTFSTRING)) {
    soap_->user = this;
    soap_->frecv = [](soap* soap, char* bytes, std::size_t most) {
      std::string_view& rest = static_cast<Codec*>(soap->user)->rest_;
      const std::size_t length = std::min(most, rest.size());
      std::memcpy(bytes, rest.data(), length);
      rest.remove_prefix(length);
      return length;
    };
    soap_->fsend = [](soap* soap, const char* bytes, std::size_t length) {
      static_cast<Codec*>(soap->user)->response_.append(bytes, length);
      return SOAP_OK;
    };
  }
  ~Codec() {
    forget();
    soap_free(soap_);
  }
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  const std::string& answer(const bench::codec_case& one) {
    answer_and_keep(one);
    forget();
    return response_;
  }
  /// The values that were read stay.
  void answer_and_keep(const bench::codec_case& one) {
    rest_ = one.request;
    response_.clear();
    if (soap_begin_serve(soap_) != SOAP_OK || soap_serve_request(soap_) != SOAP_OK) {
      std::fprintf(stderr, "gsoap: %s: error %d\n", one.name, soap_->error);
      soap_print_fault(soap_, stderr);
      std::exit(1);
    }
  }

private:
  void forget() {
    soap_destroy(soap_);
    soap_end(soap_);
  }

  soap* soap_;
  std::string_view rest_;
  std::string response_;
};

inline void measure_all(
    const std::vector<bench::codec_case>& cases,
    const std::string& series,
    const bench::effort& with) {
  Codec codec;
  for (const bench::codec_case& one : cases) {
    bench::row("codec", series, one.name, "bytes_in", static_cast<double>(one.request.size()));
    const auto bytes_out = static_cast<double>(codec.answer(one).size());
    bench::row("codec", series, one.name, "bytes_out", bytes_out);
    bench::measure("codec", series, one.name, with, [&] { codec.answer(one); });
  }
}

inline void write_responses(
    const std::vector<bench::codec_case>& cases, const std::string& folder) {
  Codec codec;
  for (const bench::codec_case& one : cases) {
    std::ofstream file(folder + "/" + one.name + ".xml", std::ios::binary);
    file << codec.answer(one);
    if (!file.flush()) std::exit(1);
  }
}
