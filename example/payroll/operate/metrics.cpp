#include "operate/metrics.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>

#include "operate/log.hpp"

namespace {

/// A label with its value in quotes (text format 0.0.4: backslash, quote and line feed are
/// escaped).
std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char each : value) {
    if (each == '\\' || each == '"') text += '\\';
    text.append(each == '\n' ? "\\n" : std::string(1, each));
  }
  return text += '"';
}

std::string with(const std::string& labels, const std::string& more) {
  return '{' + labels + (more.empty() ? "" : ',' + more) + '}';
}

void begin(std::string& to, const char* name, const char* type, const char* help) {
  to.append("# HELP ").append(name).append(1, ' ').append(help).append("\n# TYPE ");
  to.append(name).append(1, ' ').append(type).append(1, '\n');
}

void add(std::string& to, std::string_view name, const std::string& labels, std::uint64_t value) {
  to.append(name).append(labels).append(1, ' ').append(std::to_string(value)).append(1, '\n');
}

/// A metric with one value and no labels.
struct Single {
  const char* name;
  const char* type;
  const char* help;
  std::uint64_t value;
};

void append_gauges(std::string& to, const Gauges& now) {
  const std::array<Single, 6> gauges{{
      {"payroll_connections_open", "gauge", "Open connections.", now.connections},
      {"payroll_connections_parked",
       "gauge",
       "Open connections that wait without a thread.",
       now.parked},
      {"payroll_queue_length", "gauge", "Requests waiting for an executor thread.", now.queued},
      {"payroll_connections_accepted_total", "counter", "Accepted connections.", now.accepted},
      {"payroll_connections_refused_total",
       "counter",
       "Connections that could not be accepted.",
       now.refused},
      {"payroll_log_lines_lost_total",
       "counter",
       "Log lines lost because the queue or the disk was full.",
       now.log_lines_lost},
  }};
  for (const Single& each : gauges) {
    begin(to, each.name, each.type, each.help);
    add(to, each.name, "", each.value);
  }
}

std::string seconds(std::chrono::nanoseconds time) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9f", static_cast<double>(time.count()) / 1e9);
  return text.data();
}

}  // namespace

void Metrics::count(const soapsvc::call_report& call) {
  const auto time = call.decode_time + call.handler_time + call.encode_time;
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  const auto slot = std::lower_bound(bounds_us.begin(), bounds_us.end(), us) - bounds_us.begin();
  const bool server = call.fault_code == soapsvc::fault_code::server;
  const Outcome outcome = !call.fault_code ? success : server ? server_fault : client_fault;
  Name name{call.service, call.operation};
  const std::lock_guard lock(mutex_);
  if (call.kind != soapsvc::report_kind::call) {
    ++refusals_[{call.kind, call.http_status}];
    return;
  }
  Series& series = series_[std::move(name)];
  ++series.outcomes[outcome];
  ++series.durations[static_cast<std::size_t>(slot)];
  series.total += time;
  series.bytes_in += call.bytes_in;
  series.bytes_out += call.bytes_out;
  series.deprecated += call.deprecated ? 1 : 0;
}

void Metrics::count_incident() {
  const std::lock_guard lock(mutex_);
  ++incidents_;
}

void Metrics::append_durations(std::string& to, const std::string& labels, const Series& series) {
  const std::string name = "payroll_request_seconds";
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at != series.durations.size(); ++at) {
    sum += series.durations[at];
    const char* bound = at < bounds_text.size() ? bounds_text[at] : "+Inf";
    add(to, name + "_bucket", with(labels, label("le", bound)), sum);
  }
  to.append(name + "_sum" + with(labels, "") + ' ' + seconds(series.total) + '\n');
  add(to, name + "_count", with(labels, ""), sum);
}

void Metrics::append_calls(std::string& to) const {
  static constexpr std::array<const char*, 3> outcomes = {
      "success", "client_fault", "server_fault"};
  const auto each = [&](auto append) {
    for (const auto& [name, series] : series_)
      append(label("service", name.first) + ',' + label("operation", name.second), series);
  };
  begin(to, "payroll_requests_total", "counter", "SOAP requests by outcome.");
  each([&](const std::string& labels, const Series& series) {
    for (std::size_t at = 0; at != outcomes.size(); ++at)
      if (series.outcomes[at] != 0)
        add(to,
            "payroll_requests_total",
            with(labels, label("outcome", outcomes[at])),
            series.outcomes[at]);
  });
  begin(
      to,
      "payroll_request_seconds",
      "histogram",
      "Time from the complete request to its response.");
  each([&](const std::string& labels, const Series& series) {
    append_durations(to, labels, series);
  });
  const auto counter = [&](const char* name, const char* help, std::uint64_t Series::*value) {
    begin(to, name, "counter", help);
    each([&](const std::string& labels, const Series& series) {
      add(to, name, with(labels, ""), series.*value);
    });
  };
  counter("payroll_request_bytes_total", "Bytes of request bodies.", &Series::bytes_in);
  counter("payroll_response_bytes_total", "Bytes of response bodies.", &Series::bytes_out);
  counter("payroll_deprecated_calls_total", "Calls of deprecated operations.", &Series::deprecated);
}

void Metrics::append_refusals(std::string& to) const {
  begin(
      to,
      "payroll_refusals_total",
      "counter",
      "Requests, connections and TLS handshakes refused before a service, by HTTP status.");
  for (const auto& [what, count] : refusals_)
    add(to,
        "payroll_refusals_total",
        with(label("kind", name_of(what.first)), label("status", std::to_string(what.second))),
        count);
}

std::string Metrics::text(const Gauges& now) const {
  std::string to;
  const std::lock_guard lock(mutex_);
  append_calls(to);
  append_refusals(to);
  begin(to, "payroll_incidents_total", "counter", "Unexpected exceptions.");
  add(to, "payroll_incidents_total", "", incidents_);
  append_gauges(to, now);
  begin(
      to,
      "payroll_build_info",
      "gauge",
      "Always 1. The labels are the version and the name of the process.");
  const std::string version = label("version", SOAPSVC_VERSION);
  add(to, "payroll_build_info", with(version, label("process", process_)), 1);
  return to;
}
