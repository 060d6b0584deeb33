#include "vary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace vary {

namespace {

constexpr std::size_t wanted = 10;  // variants of each message and way that are sent
constexpr std::size_t tries = 30;

/// The texts of each member of a contract, by its name.
std::map<std::string, std::vector<std::string>, std::less<>> learned;

struct {
  const soapsvc::dispatcher* services = nullptr;
  std::string path;
  std::string file;
  std::size_t number = 0;
  std::uint32_t seed = 0;
} now;

/// The current call.
struct {
  bool is_on = false;
  bool is_out = false;
  std::string request;
  std::string response;
  std::string error;
  std::string arrived;
  const void* answer = nullptr;
} second;

std::string in_one_line(std::string text) {
  for (char& each : text)
    if (static_cast<unsigned char>(each) < ' ') each = ' ';
  return text;
}

std::string of_double(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

/// The envelope of a message that may have parts (MTOM).
std::string_view envelope_of(std::string_view message) {
  if (!message.starts_with("--")) return message;
  message.remove_prefix(message.find("\r\n\r\n") + 4);
  return message.substr(0, message.find("\r\n--"));
}

void save(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

void walker::member(std::string_view is) {
  name = is;
  told += '\x1e';
  told += is;
  told += '\x1f';
}

walker::become walker::presence(bool is_there) {
  told += is_there ? '+' : '-';
  if (!is_here()) return is_there ? become::same : become::empty;
  if (making_ == 0) return is_there ? become::empty : become::made;
  return making_ < 5 && below(2) == 0 ? become::made : become::empty;
}

walker::edit walker::edit_of(std::size_t size) {
  told += '[' + std::to_string(size) + ']';
  if (!is_here()) return edit::none;
  if (size == 0) return making_ < 5 ? edit::add : edit::none;
  static constexpr edit all[] = {edit::drop, edit::clear, edit::twice, edit::add};
  return all[below(4)];
}

std::string walker::leaf(std::string text) {
  told += text;
  if (!changes_) {
    std::vector<std::string>& known = learned[std::string(name)];
    if (known.size() < 20 && std::find(known.begin(), known.end(), text) == known.end())
      known.push_back(text);
  }
  if (!is_here()) return text;
  const auto known = learned.find(name);
  if (below(3) != 0 && known != learned.end() && !known->second.empty())
    return known->second[below(known->second.size())];
  static const std::array<std::string, 14> texts{
      "",
      "a",
      "Zo\xC3\xAB",
      " b  c ",
      "&<>\"'",
      "0",
      "-1",
      "1.5",
      "2026-11-23",
      "en",
      "12:30:00",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "P1D",
      "\t\n"};
  if (below(2) != 0) return texts[below(texts.size())];
  if (!text.empty() && below(2) != 0) text.pop_back();
  return below(2) != 0 ? text : text + "1";
}

std::int64_t walker::whole(std::int64_t number) {
  const std::string text = leaf(std::to_string(number));
  std::int64_t made = number;
  std::from_chars(text.data(), text.data() + text.size(), made);
  return made;
}

std::size_t walker::one_of(std::size_t at, std::size_t end) {
  return is_here() && end != 0 ? below(end) : at;
}

void walk_as(walker& by, std::string& value) { value = by.leaf(value); }
void walk_as(walker& by, bool& value) {
  by.told += value ? 't' : 'f';
  if (by.is_here()) value = !value;
}
void walk_as(walker& by, soapsvc::boolean& value) { walk_as(by, value.value); }
void walk_as(walker& by, double& value) {
  const std::string text = by.leaf(of_double(value));
  double made = value;
  std::from_chars(text.data(), text.data() + text.size(), made);
  value = made;
}
void walk_as(walker& by, float& value) {
  auto wide = static_cast<double>(value);
  walk_as(by, wide);
  value = static_cast<float>(wide);
}
void walk_as(walker& by, soapsvc::xml& value) {
  // An absent required element is sent as an empty one.
  if (!value.text().ends_with(" xmlns=\"\" />")) by.told += value.text();
}
void walk_as(walker& by, soapsvc::xml_attribute& value) {
  walk_as(by, value.name);
  by.told += value.value;
}
void walk_as(walker& by, soapsvc::qualified_name& value) {
  by.told += '{' + std::string(value.ns) + '}' + value.local;
}

void begin(const soapsvc::dispatcher* services, const std::string& path, const std::string& file) {
  now = {services, path, file, 0, now.seed + 1};
  if (services) save(file + ".variants", "");
}
bool is_begun() { return now.services != nullptr; }
void forget() { learned.clear(); }

soapsvc::http_response to_itself(const soapsvc::http_request& request) {
  second.is_out = true;
  second.request = request.body;
  soapsvc::http_request again = request;
  again.method = "POST";
  again.target = now.path;
  soapsvc::http_response response = now.services->handle(again);
  second.response = response.body;
  return response;
}
void told(std::string_view error) { second.error = error; }
const void* answer() { return second.answer; }
bool is_second() { return second.is_on; }

void arrived(std::span<const handle> got) {
  walker all;
  for (const handle& each : got)
    each.walk(all, each.value);
  second.arrived = all.told;
}

namespace {

std::string written(std::span<const handle> values, std::size_t* places = nullptr) {
  walker all;
  for (const handle& each : values)
    each.walk(all, each.value);
  if (places) *places = all.places;
  return all.told;
}

void restore(std::span<const handle> values) {
  for (const handle& each : values)
    each.restore(each.value, each.original);
}

/// The result of a call: "out", "refused: why", "wrong: why" or "differs: which members, how".
std::string made_call(
    std::span<const handle> sent,
    std::span<const handle> answer,
    const std::function<void(walker& got)>& call,
    bool is_request) {
  const std::string given = written(sent);
  const std::string answered = written(answer);
  second = {};
  second.is_on = true;
  if (!answer.empty()) second.answer = answer.front().value;
  walker got;
  try {
    call(got);
    second.is_on = false;
  } catch (const std::exception& error) {
    second.is_on = false;
    const std::string why = in_one_line(error.what() + (": " + second.error));
    if (!second.is_out || !is_request) return "refused: " + why;
    return "wrong: is sent, and then refused: " + why;
  }
  if (second.arrived != given) return "differs: " + differences(given, second.arrived);
  if (got.told != answered) return "differs: " + differences(answered, got.told);
  return "out";
}

}  // namespace

std::string differences(const std::string& one, const std::string& other) {
  const auto members_of = [](const std::string& told) {
    std::vector<std::string> all;
    std::istringstream parts('-' + told);
    for (std::string each; std::getline(parts, each, '\x1e');)
      all.push_back(in_one_line(each));
    return all;
  };
  const std::vector<std::string> first = members_of(one);
  const std::vector<std::string> then = members_of(other);
  if (first.size() != then.size())
    return "members\t" + in_one_line(one) + '\t' + in_one_line(other);
  std::string made;
  for (std::size_t at = 0; at != first.size(); ++at)
    if (first[at] != then[at])
      made += (made.empty() ? "" : "\t") + first[at].substr(0, first[at].find(' ')) + '\t' +
              first[at] + '\t' + then[at];
  return made;
}

void try_all(
    std::span<const handle> sent,
    std::span<const handle> answer,
    const std::function<void(walker& got)>& call) {
  std::ofstream lines(now.file + ".variants", std::ios::app);
  for (const bool is_request : {true, false}) {
    const std::span<const handle> changed = is_request ? sent : answer;
    std::size_t places = 0;
    const std::string before = written(changed, &places);
    std::size_t out = 0;
    for (std::size_t left = places == 0 ? 0 : tries; left != 0 && out != wanted; --left) {
      restore(sent);
      restore(answer);
      const std::uint32_t seed = ++now.seed;
      walker change(std::mt19937(seed)() % places, seed);
      for (const handle& each : changed)
        each.walk(change, each.value);
      if (written(changed) == before) continue;
      const std::string what = made_call(sent, answer, call, is_request);
      const std::string name = now.file + '.' + std::to_string(now.number++);
      const char* const way = is_request ? "request" : "response";
      lines << name << ' ' << way << ' ' << what << '\n';
      if (what == "out") ++out;
      if (what.starts_with("refused")) continue;
      save(name + '.' + way + ".xml", envelope_of(is_request ? second.request : second.response));
    }
  }
}

}  // namespace vary
