// The benchmark of signatures, of our code and of the peers' by the same loop: one message to sign
// or to verify, with few records and with many.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "files.hpp"
#include "measure.hpp"

namespace bench {

/// A message with this number of records; "small" has a request of 1 KB, "large" one of 100 KB.
struct signed_case {
  std::string name;
  int records;
};
inline const std::vector<signed_case>& signed_cases() {
  static const std::vector<signed_case> all = {{"small", 10}, {"large", 1'000}};
  return all;
}

/// The message as plain data for our program and the peers'.
struct payment_row {
  int id;
  const char* name;
  const char* amount;
  bool urgent;
};
inline payment_row payment_of(int number) {
  static constexpr const char* names[] = {"J. de Vries", "M. Jansen & Co", "Zoe Bakker"};
  return {number, names[number % 3], "1234.56", number % 7 == 0};
}

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "signed: %s\n", why.c_str());
  std::exit(1);
}

/// Writes the rows of one call; under callgrind, which is told not to collect in RSA, a part of its
/// output in place of them.
template <class Call>
void measure_signed(
    const std::string& series, const std::string& name, const effort& with, Call&& call) {
  if (RUNNING_ON_VALGRIND) {
    constexpr int times = 4;
    call();  // warm
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    for (int turn = 0; turn != times; ++turn)
      call();
    CALLGRIND_TOGGLE_COLLECT;
    return dump_as(name + " call *" + std::to_string(times));
  }
  std::size_t times = 1;
  while (ns_of<clock>(times, call) * static_cast<double>(times) <
         static_cast<double>(with.round.count()))
    times *= 2;
  std::vector<double> taken;
  for (int round = 0; round != with.rounds; ++round)
    taken.push_back(ns_of<thread_clock>(times, call));
  row("signatures", series, name, "ns", median(taken));
}

/// Measures `sign` and `verify`, which are given a case, or a case and its message as we sign it.
template <class Sign, class Verify>
void measure_signatures(
    const std::string& series,
    const std::string& messages,
    const effort& with,
    Sign&& sign,
    Verify&& verify) {
  for (const signed_case& one : signed_cases()) {
    const std::string message = read_file(messages + "/" + one.name + ".xml");
    measure_signed(series, "verify-" + one.name, with, [&] { verify(one, message); });
    measure_signed(series, "sign-" + one.name, with, [&] { sign(one); });
  }
}

}  // namespace bench
