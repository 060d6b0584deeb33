// The counters of a server, in Prometheus text format 0.0.4.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "soapsvc.hpp"

/// Current values that other parts count.
struct Gauges {
  std::size_t connections = 0;  ///< open
  std::size_t parked = 0;  ///< open connections that wait without a thread
  std::size_t queued = 0;  ///< requests that wait for a thread
  std::uint64_t accepted = 0;  ///< connections since the start
  std::uint64_t refused = 0;
  std::size_t log_lines_lost = 0;
};

/// Counts calls, refusals and incidents. May be called from any number of threads.
class Metrics {
public:
  /// `process` is the name of this process.
  explicit Metrics(std::string process = {}) : process_(std::move(process)) {}

  void count(const soapsvc::call_report& call);
  void count_incident();

  /// All counters and gauges, as text for Prometheus.
  std::string text(const Gauges& now) const;

private:
  static constexpr std::array<const char*, 11> bounds_text = {
      "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "5"};
  static constexpr std::array<std::int64_t, 11> bounds_us = {
      1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 5'000'000};
  enum Outcome { success, client_fault, server_fault };

  /// The counters of one operation. An unknown operation has an empty name.
  struct Series {
    std::array<std::uint64_t, 3> outcomes{};
    std::array<std::uint64_t, bounds_us.size() + 1> durations{};  ///< the last: above all bounds
    std::chrono::nanoseconds total{};
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t deprecated = 0;
  };
  using Name = std::pair<std::string, std::string>;  ///< service and operation

  static void append_durations(std::string& to, const std::string& labels, const Series& series);
  void append_calls(std::string& to) const;
  void append_refusals(std::string& to) const;

  std::string process_;
  mutable std::mutex mutex_;
  std::map<Name, Series, std::less<>> series_;
  std::map<std::pair<soapsvc::report_kind, int>, std::uint64_t> refusals_;  ///< and HTTP status
  std::uint64_t incidents_ = 0;
};
