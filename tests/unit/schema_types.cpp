// XML Schema part 2, type by type: tests/unit/schema_types.txt through a service in both
// directions, and the same table through libxml2's validator, which was written by others from the
// same text.
#include <set>

#include "../support.hpp"

#include <catch2/catch.hpp>

using namespace support;

enum class Tint { red, dark_blue };

/// One value of any type.
struct Value {
  std::optional<bool> boolean;
  std::optional<std::int8_t> signed_8;
  std::optional<std::int16_t> signed_16;
  std::optional<std::int32_t> signed_32;
  std::optional<std::int64_t> signed_64;
  std::optional<std::uint8_t> unsigned_8;
  std::optional<std::uint16_t> unsigned_16;
  std::optional<std::uint32_t> unsigned_32;
  std::optional<std::uint64_t> unsigned_64;
  std::optional<float> single_precision;
  std::optional<double> double_precision;
  std::optional<soapsvc::decimal> decimal;
  std::optional<std::string> string;
  std::optional<soapsvc::date> date;
  std::optional<soapsvc::date_time> date_time;
  std::optional<soapsvc::binary> binary;
  std::optional<soapsvc::integer> integer;
  std::optional<soapsvc::time> time;
  std::optional<soapsvc::duration> duration;
  std::optional<soapsvc::g_year> year;
  std::optional<soapsvc::g_year_month> year_month;
  std::optional<soapsvc::g_month> month;
  std::optional<soapsvc::g_month_day> month_day;
  std::optional<soapsvc::g_day> day;
  std::optional<soapsvc::hex_binary> hex;
  std::optional<Tint> tint;
};

class Types {
public:
  Value echo(const Value& value) { return value; }
};

template <>
inline constexpr auto soapsvc::schema<Tint> =
    enumeration("Colour", value("Red", Tint::red), value("Dark Blue", Tint::dark_blue));
template <>
inline constexpr auto soapsvc::schema<Value> = record(
    "Value",
    field("boolean", &Value::boolean),
    field("byte", &Value::signed_8),
    field("short", &Value::signed_16),
    field("int", &Value::signed_32),
    field("long", &Value::signed_64),
    field("unsignedByte", &Value::unsigned_8),
    field("unsignedShort", &Value::unsigned_16),
    field("unsignedInt", &Value::unsigned_32),
    field("unsignedLong", &Value::unsigned_64),
    field("float", &Value::single_precision),
    field("double", &Value::double_precision),
    field("decimal", &Value::decimal),
    field("string", &Value::string),
    field("date", &Value::date),
    field("dateTime", &Value::date_time),
    field("base64Binary", &Value::binary),
    field("integer", &Value::integer),
    field("time", &Value::time),
    field("duration", &Value::duration),
    field("gYear", &Value::year),
    field("gYearMonth", &Value::year_month),
    field("gMonth", &Value::month),
    field("gMonthDay", &Value::month_day),
    field("gDay", &Value::day),
    field("hexBinary", &Value::hex),
    field("Colour", &Value::tint));
template <>
inline constexpr auto soapsvc::schema<Types> = service("Shop", operation("Value", &Types::echo));

namespace {

struct row {
  std::string type;
  bool good = false;
  std::string text;
  std::string written;
  std::string differs;
  std::string element() const { return "<" + type + ">" + text + "</" + type + ">"; }
};

/// The rows of the table, "(empty)" replaced.
std::vector<row> table() {
  std::ifstream file("tests/unit/schema_types.txt");
  std::vector<row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::array<std::string, 5> columns;
    std::istringstream cells(line);
    for (std::string& column : columns) {
      std::getline(cells, column, '\t');
      if (column == "(empty)") column.clear();
    }
    rows.push_back({columns[0], columns[1] == "ok", columns[2], columns[3], columns[4]});
  }
  return rows;
}

std::string text_of(const std::string& element) {
  return std::string(document(element).root().text());
}

/// The result of the service for a row: the text that it writes, or "no".
std::string echoed(const soapsvc::dispatcher& dispatcher, version v, const row& each) {
  const std::string body = envelope(v, call("Value", each.element()));
  const std::string media_type = content_type(v);
  const soapsvc::http_header type[] = {{"Content-Type", media_type}};
  soapsvc::http_request request;
  request.target = path;
  request.headers = type;
  request.body = body;
  const soapsvc::http_response response = dispatcher.handle(request);
  if (response.status != 200) return "no";
  const document answer(response.body);
  for (node at = answer.root(); at; at = at.first_child())
    if (at.local() == each.type) return "ok " + std::string(at.text());
  return "a response without the value";
}

/// The lines of a document, one for each element, that libxml2 finds invalid.
std::vector<bool> invalid_lines(const std::vector<std::string>& elements) {
  const std::string begin = "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">";
  std::string types, rows, content;
  for (const char* name :
       {"boolean",      "byte",          "short",       "int",          "long",
        "unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong", "float",
        "double",       "decimal",       "string",      "date",         "dateTime",
        "base64Binary", "integer",       "time",        "duration",     "gYear",
        "gYearMonth",   "gMonth",        "gMonthDay",   "gDay",         "hexBinary"})
    rows.append("<xs:element name='").append(name).append("' type='xs:").append(name) += "'/>";
  rows +=
      "<xs:element name='Colour'><xs:simpleType><xs:restriction base='xs:token'>"
      "<xs:enumeration value='Red'/><xs:enumeration value='Dark Blue'/></xs:restriction>"
      "</xs:simpleType></xs:element>";
  for (const std::string& element : elements)
    content += element + '\n';
  const scratch_folder folder;
  write_file(
      folder.path() / "types.xsd",
      begin + "<xs:element name='table'><xs:complexType><xs:choice maxOccurs='unbounded'>" + rows +
          "</xs:choice></xs:complexType></xs:element></xs:schema>");
  const std::string errors =
      schema_errors(folder.path() / "types.xsd", {"<table>\n" + content + "</table>"});
  std::vector<bool> invalid(elements.size());
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(".xml:");
    if (at == line.npos || line.find("Schemas validity error") == line.npos) continue;
    invalid.at(std::stoul(line.substr(at + 5)) - 2) = true;  // <table> is line 1
  }
  return invalid;
}

}  // namespace

TEST_CASE("each text is read and written by the rules of XML Schema", "[types][rule-5]") {
  Types types;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  dispatcher.add(types);
  const auto rows = table();
  CHECK(rows.size() > 1900);
  std::set<std::string> names;
  for (const row& each : rows)
    names.insert(each.type);
  for (const std::string& name : names) {
    DYNAMIC_SECTION(name) {  // a type can fail, and be tested, alone: -c dateTime
      for (const row& each : rows) {
        for (const version v : both) {
          if (each.type != name) continue;
          INFO("'" << each.text << "'");
          const std::string right =
              each.good ? "ok " + text_of("<v>" + each.written + "</v>") : "no";
          CHECK(echoed(dispatcher, v, each) == right);
        }
      }
    }
  }
}

TEST_CASE("libxml2 reads each text alike, except documented differences", "[types][rule-5]") {
  const auto rows = table();
  std::vector<std::string> sent, written;
  std::vector<const row*> good;
  for (const row& each : rows) {
    sent.push_back(each.element());
    if (!each.good) continue;
    written.push_back("<" + each.type + ">" + each.written + "</" + each.type + ">");
    good.push_back(&each);
  }
  const std::vector<bool> invalid = invalid_lines(sent);
  std::size_t agreed = 0;
  for (std::size_t i = 0; i != rows.size(); ++i) {
    INFO(rows[i].type << " '" << rows[i].text << "'");
    const bool alike = invalid[i] != rows[i].good;
    CHECK((alike || !rows[i].differs.empty()));
    agreed += alike ? 1 : 0;
  }
  CHECK(agreed > 1850);
  // The written text must also be valid for other readers, except where they support fewer digits
  // or years.
  const std::vector<bool> refused = invalid_lines(written);
  for (std::size_t i = 0; i != written.size(); ++i) {
    INFO("written: " << written[i]);
    const std::string& differs = good[i]->differs;
    CHECK((!refused[i] || differs == "digits" || differs == "leap" || differs == "long"));
  }
}
