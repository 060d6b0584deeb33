// kinds: a service with a field of every kind, for the form of its help page. Answers what it is
// sent. Listens on a free port of 127.0.0.1, and says so, until it is killed.
#include <iostream>

#include "soapsvc.hpp"

enum class Colour { red, dark_blue };
template <>
inline constexpr auto soapsvc::schema<Colour> =
    enumeration("Colour", value("Red", Colour::red), value("DarkBlue", Colour::dark_blue));

/// Holds itself.
struct Folder {
  std::string name;
  std::vector<Folder> folders;
};
template <>
inline constexpr auto soapsvc::schema<Folder> =
    record("Folder", field("Name", &Folder::name), field("Folder", &Folder::folders));

struct Part {
  std::int32_t number{};
  std::optional<bool> ready;
};
template <>
inline constexpr auto soapsvc::schema<Part> =
    record("Part", field("Number", &Part::number), field("Ready", &Part::ready));

/// A record with a record that may be absent.
struct Box {
  std::optional<std::string> label;
  std::optional<Part> part;
};
template <>
inline constexpr auto soapsvc::schema<Box> =
    record("Box", field("Label", &Box::label), field("Part", &Box::part));

struct Everything {
  bool flag{};
  std::optional<bool> maybe_flag;
  std::uint8_t small{};
  std::int64_t large{};
  std::int32_t usual{};
  double real{};
  soapsvc::decimal exact;
  std::string text;
  std::optional<std::string> maybe_text;
  std::optional<std::string> key;
  soapsvc::binary bytes;
  soapsvc::date day;
  soapsvc::date_time moment;
  Colour colour{};
  std::optional<Colour> maybe_colour;
  std::optional<std::int32_t> maybe_number;
  std::vector<std::string> words;
  std::vector<Colour> colours;
  Part part;
  std::optional<Box> box;
  std::vector<Folder> folders;
};
template <>
inline constexpr auto soapsvc::schema<Everything> = record(
    "Everything",
    field("Flag", &Everything::flag, doc("A boolean that must be sent.")),
    field("MaybeFlag", &Everything::maybe_flag, doc("True, false, or not sent.")),
    field("Small", &Everything::small, sample("7")),
    field("Large", &Everything::large),
    field("Usual", &Everything::usual, default_if_absent),
    field("Real", &Everything::real),
    field("Exact", &Everything::exact, sample("10.50")),
    field("Text", &Everything::text, doc("Text <with> & \"markup\".")),
    field("MaybeText", &Everything::maybe_text),
    field("Key", &Everything::key, secret),
    field("Bytes", &Everything::bytes),
    field("Day", &Everything::day),
    field("Moment", &Everything::moment),
    field("Colour", &Everything::colour),
    field("MaybeColour", &Everything::maybe_colour, deprecated("Colour")),
    field("MaybeNumber", &Everything::maybe_number),
    field("Words", &Everything::words),
    field("Colours", &Everything::colours),
    field("Part", &Everything::part),
    field("Box", &Everything::box),
    field("Folder", &Everything::folders));

struct Echo {
  Everything it;
};
template <> inline constexpr auto soapsvc::schema<Echo> = record(field("It", &Echo::it));

struct Ticket {
  std::optional<std::string> number;
};
template <>
inline constexpr auto soapsvc::schema<Ticket> =
    record("Ticket", field("Number", &Ticket::number, sample("A-1")));

struct Check {
  std::string plate;
  std::optional<std::string> remark;
  std::optional<std::string> odd;
  std::optional<soapsvc::duration> wait;
  std::vector<std::string> codes;
};
template <>
inline constexpr auto soapsvc::schema<Check> = record(
    field(
        "Plate",
        &Check::plate,
        pattern("[0-9]{2}-[A-Z]{2,3}"),
        sample("12-AB"),
        doc("As on the car.")),
    field("Remark", &Check::remark),
    field("Odd", &Check::odd, pattern("(A|B)+"), sample("AB")),
    field("Wait", &Check::wait),
    field("Code", &Check::codes, pattern("\\d{3}"), sample("123")));

class Kinds {
public:
  Everything echo(const Echo& request) { return request.it; }
  void ping() {}
  void size() {}
  void note() {}
  void drop() {}
  std::vector<std::string> words(const soapsvc::nothing&, const Ticket& ticket) {
    return {ticket.number.value_or("(none)"), ""};
  }
  std::optional<std::string> maybe(const soapsvc::nothing&, const std::optional<Ticket>& ticket) {
    return ticket ? ticket->number : "no ticket";
  }
  std::string check(const Check& request, const Ticket&) { return request.plate; }
};
template <>
inline constexpr auto soapsvc::schema<Kinds> = service(
    "Kinds",
    doc("A field of every kind."),
    operation("Echo", &Kinds::echo, doc("Answers what it is sent.")),
    operation("Ping", &Kinds::ping, doc("Does nothing.")),
    operation("Words", &Kinds::words, doc("A list of text; needs a header.")),
    operation("Maybe", &Kinds::maybe, doc("May answer nothing.")),
    operation("Check", &Kinds::check, doc("Has patterns, and a header.")),
    operation("Note", &Kinds::note, one_way, doc("Has no response.")),
    operation("Drop", &Kinds::drop, empty_response, doc("Has an empty response.")),
    operation("Größe", &Kinds::size, doc("Has an action beyond ASCII.")));

int main() {
  Kinds kinds;
  soapsvc::host host{{.ns_base = "http://kinds.example"}};
  host.add(kinds);
  std::cout << "listening on http://127.0.0.1:" << host.bind({"127.0.0.1", 0}) << std::endl;
  host.serve();
}
