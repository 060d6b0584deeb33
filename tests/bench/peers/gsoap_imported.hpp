// The same for gSOAP: see ../imported.hpp. The program around it is written by imported.py; its
// function answers with the structure that gSOAP's own reader made of the response.
#pragma once

#include <sstream>

#include "files.hpp"
#include "gsoap_codec.hpp"

namespace imported {

inline std::string folder;  ///< where the request goes that was read; empty: nowhere

/// Called at the beginning of the function; `put` writes the request. Header blocks that are still
/// there would be sent back.
template <class Put> void entered(soap* soap, Put&& put) {
  bench::handler_entered();
  soap->header = nullptr;
  if (folder.empty()) return;
  std::ostringstream text;
  struct soap* writer = soap_new1(SOAP_ENC_PLAIN | SOAP_C_UTFSTRING);
  writer->os = &text;
  if (soap_begin_send(writer) != SOAP_OK || !put(writer) || soap_end_send(writer) != SOAP_OK)
    soap_print_fault(writer, stderr);
  soap_destroy(writer);
  soap_end(writer);
  soap_free(writer);
  bench::write_file(folder + "/request.xml", text.str());
}

/// Reads the body of a response by `get`; its memory stays.
template <class Get> void keep(const std::string& response, Get&& get) {
  std::istringstream text(response);
  soap* reader = soap_new1(SOAP_ENC_PLAIN | SOAP_C_UTFSTRING);
  reader->is = &text;
  if (soap_begin_recv(reader) == SOAP_OK && soap_envelope_begin_in(reader) == SOAP_OK &&
      soap_recv_header(reader) == SOAP_OK && soap_body_begin_in(reader) == SOAP_OK && get(reader))
    return;
  soap_print_fault(reader, stderr);
  std::exit(1);
}

template <class Get> int run(int count, char** arguments, Get&& get) {
  const std::string_view what = count > 3 ? arguments[1] : "";
  if (!(what == "check" && count == 5) && !(what == "run" && count == 8)) return 2;
  keep(bench::read_file(arguments[3]), get);
  Codec codec;
  const bench::codec_case one{
      what == "run" ? arguments[7] : "check", bench::read_file(arguments[2])};
  if (what == "check") {
    folder = arguments[4];
    const std::string response = codec.answer(one);
    bench::write_file(folder + "/response.xml", response);
    return 0;
  }
  const bench::effort with{
      std::atoi(arguments[4]), std::chrono::milliseconds(std::atoi(arguments[5]))};
  const auto bytes_out = static_cast<double>(codec.answer(one).size());
  bench::row("speed", arguments[6], one.name, "bytes_in", static_cast<double>(one.request.size()));
  bench::row("speed", arguments[6], one.name, "bytes_out", bytes_out);
  bench::measure("speed", arguments[6], one.name, with, [&] { codec.answer(one); });
  return 0;
}

}  // namespace imported
