// Size, alignment and the offset of each member of the public types, one per line: no switch of the
// header may change them. `forms` compiles this in every form and compares the output.
#include "soapsvc.hpp"

#include <cstdio>

#if defined(__GNUC__)
// For some types without standard layout, both compilers still know the offsets.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif

namespace {

struct Question {
  std::string text;
};
struct Desk {
  std::string ask(const Question& question) { return question.text; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Question> = record(field("Text", &Question::text));
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Ask", &Desk::ask));

#define TYPE(T) std::printf("%s: %zu, aligned to %zu\n", #T, sizeof(T), alignof(T))
#define MEMBER(T, name) std::printf("%s::%s: at %zu\n", #T, #name, offsetof(T, name))

namespace {

void print_vocabulary() {
  using namespace soapsvc;
  TYPE(message_limits);
  MEMBER(message_limits, max_depth);
  MEMBER(message_limits, max_header_blocks);
  TYPE(qualified_name);
  TYPE(fault);
  TYPE(element_name);
  TYPE(header_block);
  MEMBER(header_block, must_understand);
  MEMBER(header_block, xml);
  TYPE(context);
  MEMBER(context, peer);
  MEMBER(context, header_blocks);
  TYPE(binary);
  TYPE(date);
  MEMBER(date, offset_minutes);
  TYPE(date_time);
  MEMBER(date_time, nanosecond);
  MEMBER(date_time, offset_minutes);
  TYPE(decimal);
  TYPE(nothing);
  TYPE(documented_fault);
  TYPE(decltype(schema<Question>));
  TYPE(decltype(schema<Desk>));
}

void print_services() {
  using namespace soapsvc;
  TYPE(http_header);
  TYPE(http_request);
  MEMBER(http_request, headers);
  MEMBER(http_request, body);
  MEMBER(http_request, listener_address);
  MEMBER(http_request, listener);
  TYPE(http_response);
  MEMBER(http_response, content_type);
  MEMBER(http_response, headers);
  MEMBER(http_response, body);
  TYPE(call_report);
  MEMBER(call_report, fault_code);
  MEMBER(call_report, bytes_out);
  MEMBER(call_report, request_id);
  TYPE(error_report);
  TYPE(message_report);
  TYPE(intercepted_call);
  TYPE(dispatcher_options);
  MEMBER(dispatcher_options, browsers);
  MEMBER(dispatcher_options, limits);
  MEMBER(dispatcher_options, interceptors);
  MEMBER(dispatcher_options, on_message);
  TYPE(blocking_section);
  TYPE(dispatcher);
}

void print_host() {
#if !defined(SOAPSVC_NO_HOST)
  using namespace soapsvc;
  TYPE(host_options);
  MEMBER(host_options, limits);
  MEMBER(host_options, threads);
  MEMBER(host_options, gzip_min_bytes);
  MEMBER(host_options, timeouts);
  MEMBER(host_options, on_notice);
  std::printf("with a host: %zu %zu\n", sizeof(host), sizeof(host_statistics));
#endif
}

void print_client() {
  using namespace soapsvc;
  TYPE(client_options);
  MEMBER(client_options, limits);
  MEMBER(client_options, call_timeout);
  MEMBER(client_options, ca_file);
  MEMBER(client_options, headers);
  TYPE(transport_error);
  TYPE(remote_fault);
  TYPE(transport);
  TYPE(client<Desk>);
}

}  // namespace

int main() {
  print_vocabulary();
  print_services();
  print_client();
  print_host();
}
