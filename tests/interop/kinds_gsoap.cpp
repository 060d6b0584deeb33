// gSOAP against the service of all kinds: kinds_gsoap URL 1.1|1.2
//
// Uses the code that `wsdl2h` and `soapcpp2` generate from the WSDLs, once with -1 and once with
// -2; the stubs whose names end in `_` are for the ports of SOAP 1.2. Sends the value of each
// feature in features.md, as objects of the generated classes, and compares the returned value.
// Both are written as XML, because such classes do not compare. CORRECTED marks corrections of
// wsdl2h's output, which soapcpp2 needs.
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "KindsSoap.nsmap"
#include "soapH.h"

namespace {

std::string address;
std::string version;
struct soap* context = nullptr;

bool is_11() { return version == "1.1"; }

/// The step returns the error, if there is one.
void feature(const std::string& name, const std::function<std::string()>& step) {
  std::string wrong = step();
  for (char& c : wrong)
    if (c == '\n') c = ' ';
  std::cout << (wrong.empty() ? "ok  " : "FAIL") << " gsoap " << version << ": " << name
            << (wrong.empty() ? "" : ": " + wrong) << std::endl;
  context->header = nullptr;
  soap_destroy(context);
  soap_end(context);
}

std::string same(const std::string& sent, const std::string& found) {
  return sent == found ? "" : "sent " + sent + ", got " + found;
}

std::string failure() {
  return "error " + std::to_string(context->error) + ", " +
         (soap_fault_string(context) ? soap_fault_string(context) : "without a reason");
}

// --- Objects -------------------------------------------------------------------------------------

std::vector<std::shared_ptr<void>> made_objects;  // until the program ends

template <class T> T* make() {
  const auto made = std::make_shared<T>();
  made->soap_default(context);
  made_objects.push_back(made);
  return made.get();
}

template <class T> T* value(T from) {
  const auto made = std::make_shared<T>(std::move(from));
  made_objects.push_back(made);
  return made.get();
}
std::string* text(const char* from) { return value(std::string(from)); }

/// As XML, without the start tag, which differs between request and response, and without
/// declarations of prefixes that are equal in both.
template <class T> std::string shown(T* object) {
  std::ostringstream out;
  context->os = &out;
  soap_set_omode(context, SOAP_XML_CANONICAL);  // declarations where they are needed
  object->soap_serialize(context);
  if (soap_begin_send(context) == SOAP_OK) object->soap_put(context, "value", nullptr);
  soap_end_send(context);
  soap_clr_omode(context, SOAP_XML_CANONICAL);
  context->os = nullptr;
  const std::string all = out.str();
  static const std::regex declaration(" xmlns:(ns[0-9]|xsi|xsd)=\"[^\"]*\"");
  return std::regex_replace(all.substr(std::min(all.find('>'), all.size())), declaration, "");
}

std::string endpoint(const std::string& service) {
  return address + "/soap/v3/" + service + ".asmx";
}

using Fill = std::function<void(_ns1__Everything&)>;

void echo(const std::string& name, const Fill& fill) {
  feature(name, [&]() -> std::string {
    auto* sent = make<_ns1__Everything>();
    fill(*sent);
    _ns1__EverythingResponse response;
    response.soap_default(context);
    const auto call = is_11() ? soap_call___ns1__Everything : soap_call___ns1__Everything_;
    if (call(context, endpoint("Kinds").c_str(), nullptr, sent, response) != SOAP_OK)
      return failure();
    return same(shown(sent), shown(response.EverythingResult));
  });
}

// --- Features ------------------------------------------------------------------------------------

ns1__Length* length(double metres, ns3__Unit unit = ns3__Unit__m) {
  auto* made = make<ns1__Length>();
  made->Value = metres;
  made->unit = unit;
  return made;
}

ns1__Price* price(const char* amount, const char* currency) {
  auto* made = make<ns1__Price>();
  made->__item = amount;
  made->currency = currency;
  return made;
}

ns2__Point* point(double x, double y) {
  auto* made = make<ns2__Point>();
  made->X = x;
  made->Y = y;
  return made;
}

ns1__Plain* plain(std::vector<int> numbers) {
  auto* made = make<ns1__Plain>();
  made->A = "a";
  made->B = std::move(numbers);
  return made;
}

void names_and_attributes() {
  echo("attribute", [](auto& sent) {
    sent.Length = {length(1.5)};
    sent.Length[0]->digits = value(2);
  });
  echo("attribute of another namespace", [](auto& sent) {
    sent.Length = {length(2.5)};
    sent.Length[0]->ns4__source = text("Zoë & <Ada>");
  });
  echo("enumeration", [](auto& sent) { sent.Length = {length(3.5, ns3__Unit__ft)}; });
  echo("default and fixed", [](auto& sent) {
    sent.Length = {length(4.5)};
    sent.Length[0]->system = "imperial";
  });
  echo("text with attributes", [](auto& sent) {
    sent.Price = {price("10.50", "EUR"), price("-1", "\"Zoë\" & <Ada>")};
  });
  echo("type of another namespace", [](auto& sent) { sent.Point = {point(1.5, -2)}; });
  echo("unqualified element", [](auto& sent) {
    sent.Point = {point(1, 2)};
    sent.Point[0]->Note = text("Zoë");
  });
  echo("element of a third namespace", [](auto& sent) {
    sent.Point = {point(3, 4)};
    sent.Point[0]->ns4__Comment = text("Zoë");
  });
  echo("two types of one name", [](auto& sent) {
    sent.Price = {price("1", "EUR")};
    sent.OtherPrice = {make<ns2__Price>()};
    sent.OtherPrice[0]->Cents = 100;
  });
  echo("unqualified record", [](auto& sent) { sent.Plain = {plain({1, 2})}; });
}

ns1__Person* person(const char* name, int kind) {
  auto* made = make<ns1__Person>();
  made->Name = name;
  made->__union_Person = kind;
  return made;
}

__ns1__union_Walk step(int kind, int count) {
  __ns1__union_Walk made;
  made.__union_Walk = kind;
  if (kind == SOAP_UNION__ns1__union_Walk_Left)
    made.union_Walk.Left = count;
  else
    made.union_Walk.Right = count;
  return made;
}

ns1__Grouped* grouped() {
  auto* made = make<ns1__Grouped>();
  made->Name = "n";
  made->id = 1;
  made->Last = "z";
  return made;
}

ns1__Payment* payment(const char* amount) {
  auto* made = make<ns1__Payment>();
  made->Amount = amount;
  return made;
}

void structures() {
  echo("occurrence", [](auto& sent) {
    sent.Counted = {make<ns1__Counted>()};
    sent.Counted[0]->TwoToFive = {1, 2, 3};
    sent.Counted[0]->Some = {"a", ""};
  });
  echo("nillable", [](auto& sent) {
    sent.Nils = {make<ns1__Nils>(), make<ns1__Nils>()};
    sent.Nils[1]->MustBeThere = text("there");
    sent.Nils[1]->MayBeThere = value(5);
  });
  echo("nillable record", [](auto& sent) {
    sent.Nils = {make<ns1__Nils>()};
    sent.Nils[0]->MustBeThere = text("there");
    sent.Nils[0]->Many = {plain({}), nullptr};
  });
  echo("recursion", [](auto& sent) {
    auto* book = make<ns1__Book>();
    book->Title = "One";
    book->Author = make<ns1__Author>();
    book->Author->Name = "Bob";
    book->Sequel = make<ns1__Book>();
    book->Sequel->Title = "Two";
    sent.Author = make<ns1__Author>();
    sent.Author->Name = "Ann";
    sent.Author->Book = {book};
  });
  echo("choice", [](auto& sent) {
    sent.Person = {
        person("Ann", SOAP_UNION__ns1__union_Person_Phone),
        person("Bob", SOAP_UNION__ns1__union_Person_Mail),
        person("Cy", SOAP_UNION__ns1__union_Person_Alias)};
    sent.Person[0]->union_Person.Phone = text("1");
    sent.Person[1]->union_Person.Mail = text("b@c");
    sent.Person[2]->union_Person.Alias = value(std::vector<std::string>{"c", "d"});
  });
  echo("repeated choice", [](auto& sent) {
    sent.Walk = {make<ns1__Walk>()};
    sent.Walk[0]->__union_Walk = {
        step(SOAP_UNION__ns1__union_Walk_Left, 1),
        step(SOAP_UNION__ns1__union_Walk_Right, 2),
        step(SOAP_UNION__ns1__union_Walk_Left, 3)};
  });
  echo("choice of groups", [](auto& sent) {
    sent.Payment = {payment("1"), payment("2"), payment("3")};
    sent.Payment[0]->Number = text("4111");
    sent.Payment[0]->Code = value(7);
    sent.Payment[1]->Account = text("DE1");
    sent.Payment[1]->Bank = text("bank");
  });
  echo("optional group", [](auto& sent) {
    __ns1__Grouped_sequence range;
    range.From = 1;
    range.To = 2;
    sent.Grouped = {grouped(), grouped()};
    sent.Grouped[0]->__Grouped_sequence = value(range);
  });
  echo("repeated group", [](auto& sent) {
    sent.Grouped = {grouped()};
    for (const auto& [key, of_key] :
         {std::pair{"a", text("b")}, {"c", static_cast<std::string*>(nullptr)}, {"d", text("e")}}) {
      __ns1__Grouped_sequence_ pair;
      pair.Key = key;
      pair.Value = of_key;
      sent.Grouped[0]->__Grouped_sequence_.push_back(pair);
    }
  });
}

template <class Dog> Dog* dog(const char* name, int id, bool barks) {
  auto* made = make<Dog>();
  made->Name = name;
  made->id = id;
  made->Barks = barks;
  return made;
}

ns2__Cat* cat(const char* name, int id) {
  auto* made = make<ns2__Cat>();
  made->Name = name;
  made->id = id;
  made->Lives = 7;
  made->colour = text("grey");
  return made;
}

void derived() {
  echo("extension", [](auto& sent) {
    sent.Dog = {dog<ns1__Dog>("Rex", 1, true)};
    sent.Puppy = {dog<ns1__Puppy>("Bo", 2, false)};
  });
  echo("derived type", [](auto& sent) {
    auto* zoo = make<ns1__Zoo>();
    zoo->Director = dog<ns1__Dog>("Rex", 1, true);
    zoo->Star = cat("Tom", 2);
    zoo->Animal = {dog<ns1__Puppy>("Bo", 3, false), cat("Kit", 4)};
    sent.Zoo = {zoo};
  });
  echo("derived type in another namespace", [](auto& sent) {
    auto* shape = make<ns1__Shape>();
    shape->Label = "plain";
    auto* circle = make<ns1__Circle>();
    circle->Label = "round";
    circle->Radius = 1.5;
    auto* zoo = make<ns1__Zoo>();
    zoo->Director = dog<ns1__Dog>("Rex", 9, false);
    zoo->ns4__Shape = {shape, circle};
    sent.Zoo = {zoo};
  });
}

/// XML as text, which gSOAP leaves as it is.
char* xml(const char* from) { return soap_strdup(context, from); }

void wildcards() {
  static const char* const note = "<a xmlns=\"urn:notes\">one</a>";
  static const char* const more = "<b xmlns=\"urn:more\">two</b>";
  echo("any", [](auto& sent) {
    sent.Open = {make<ns1__Open>()};
    sent.Open[0]->Known = "k";
    sent.Open[0]->__any = {xml(note), xml(more)};
  });
  echo("anyAttribute", [](auto& sent) {
    sent.Open = {make<ns1__Open>()};
    sent.Open[0]->Known = "k";
    sent.Open[0]->__anyAttribute = xml("a=\"v\" own=\"w\"");
  });
  echo("any in another namespace", [](auto& sent) {
    sent.OpenElsewhere = {make<ns2__OpenElsewhere>()};
    sent.OpenElsewhere[0]->__any = xml(note);
    sent.OpenElsewhere[0]->__anyAttribute = xml("ns2:a=\"1\"");
  });
  echo("any in a repeated group", [](auto& sent) {
    sent.OpenGroups = {make<ns1__OpenGroups>()};
    sent.OpenGroups[0]->__OpenGroups_sequence.resize(2);
    sent.OpenGroups[0]->__OpenGroups_sequence[0].__any = xml(note);
    sent.OpenGroups[0]->__OpenGroups_sequence[1].__any = xml(more);
    sent.OpenGroups[0]->Last = "z";
  });
  echo("anyAttribute beside text", [](auto& sent) {
    sent.OpenText = {make<ns1__OpenText>()};
    sent.OpenText[0]->__item = "Zoë";
    sent.OpenText[0]->__anyAttribute = xml("a=\"v\"");
  });
  echo("anyType", [](auto& sent) {
    const auto as_text = [](const char* from) {
      auto* made = make<xsd__string_>();
      made->__item = from;
      return made;
    };
    sent.Anything = {make<ns1__Anything>()};
    sent.Anything[0]->Value = as_text("Zoë");
    sent.Anything[0]->Many = {as_text("one"), as_text("two")};
  });
}

ns1__Lists* lists() {
  auto* made = make<ns1__Lists>();
  made->Numbers = "1 -2 3";
  made->Many = {"0.5 1.5", "2"};
  made->words = "a b";
  return made;
}

ns1__QualifiedNames* names() {
  auto* made = make<ns1__QualifiedNames>();
  made->Element = "\"urn:q\":a";
  made->ns4__Many = {"\"urn:q\":b", "\"urn:r\":c"};
  return made;
}

ns1__XsTypes* words() {
  auto* made = make<ns1__XsTypes>();
  made->NormalizedString = "a  b";
  made->Token = "a b";
  made->Language = "pt-BR";
  made->Name = "a:b";
  made->NCName = "_1.2-3";
  made->NMTOKEN = "-a:b.c";
  made->id = text("id-1");
  made->IDREF = text("id-1");
  made->AnyURI = "http://example.com/a?b#c";
  made->attribute = text("a b");
  return made;
}

template <class Bytes> Bytes bytes(const std::string& from) {
  Bytes made;
  made.soap_default(context);
  made.__size = static_cast<int>(from.size());
  made.__ptr = static_cast<unsigned char*>(soap_malloc(context, from.size()));
  std::copy(from.begin(), from.end(), made.__ptr);
  return made;
}

ns1__Facets* facets() {
  auto* made = make<ns1__Facets>();
  made->Code = "ZZ12";
  made->Name = "Zoë";
  made->Three = bytes<xsd__base64Binary>(std::string("\0\1\2", 3));
  made->Two = value(bytes<xsd__hexBinary>(std::string("\0\xFF", 2)));
  made->Percent = 100;
  made->Share = "0.5";
  made->Money = "-999.99";
  made->Size = _ns1__Facets_Size__0_x002e5;
  made->Letter = _ns1__Facets_Letter__b_x0020c;
  made->Day = text("2024-02-29");
  made->Span = text("PT1H");
  made->Numbers = "1 2 3";
  made->Pair = {"ab", "cd"};
  made->level = -3;
  return made;
}

void lists_and_unions() {
  echo("list", [](auto& sent) { sent.Lists = {lists()}; });
  echo("list of an enumeration", [](auto& sent) {
    sent.Lists = {lists()};
    const int both = _ns1__Lists_units__m | _ns1__Lists_units__ft;
    sent.Lists[0]->units = value(static_cast<_ns1__Lists_units>(both));
  });
#ifdef CORRECTED
  feature("list of a union", [] { return std::string("wsdl2h wrote an empty enumeration"); });
#else
  echo("list of a union", [](auto& sent) {
    sent.Lists = {lists()};
    sent.Lists[0]->Mixed = "-7 2020-01-02";
  });
#endif
  echo("union", [](auto& sent) {
    for (const char* each : {"7", "2020-01-02", "ft", "Zoë"}) {
      sent.Unions.push_back(make<ns1__Unions>());
      sent.Unions.back()->Value = each;
    }
    sent.Unions[0]->Many = {"true", "1.5"};
  });
  echo("union in an attribute", [](auto& sent) {
    sent.Unions = {make<ns1__Unions>()};
    sent.Unions[0]->Value = "8";
    sent.Unions[0]->attribute = text("1 2");
  });
  echo("QName", [](auto& sent) { sent.QualifiedNames = {names()}; });
  echo("QName in an attribute", [](auto& sent) {
    sent.QualifiedNames = {names()};
    sent.QualifiedNames[0]->attribute = text("\"urn:q\":d");
  });
}

void simple_types() {
  echo("facets", [](auto& sent) { sent.Facets = {facets()}; });
  echo("named simple types", [](auto& sent) {
    auto* named = make<ns1__NamedTypes>();
    named->Code = "1234";
    named->Codes = {"0001", "9999"};
    named->LowCode = "0123";
    named->Share = 0.5;
    named->Few = "1 2";
    named->Area = make<ns1__Area>();
    named->Area->__item = "4321";
    named->Area->share = value(0.25);
    named->keyword = text("word");
    sent.NamedTypes = {named};
  });
  echo("kinds of text", [](auto& sent) {
    ns1__XsTypes* made = words();
    made->Integer = made->NonNegative = made->NonPositive = "0";
    made->Positive = "1";
    made->Negative = "-1";
    sent.XsTypes = {made};
  });
  echo("integers of any length", [](auto& sent) {
    ns1__XsTypes* made = words();
    made->Integer = "123456789012345678901234567890";
    made->NonNegative = "18446744073709551616";
    made->Positive = "65535";
    made->NonPositive = "-5";
    made->Negative = "-123456789012345678901234567890";
    sent.XsTypes = {made};
  });
}

// --- Built-in types and operations ---------------------------------------------------------------

void values(const std::string& name, const std::function<void(_ns5__Values&)>& fill) {
  feature(name, [&]() -> std::string {
    auto* sent = make<_ns5__Values>();
    fill(*sent);
    _ns5__ValuesResponse response;
    response.soap_default(context);
    const auto call = is_11() ? soap_call___ns5__Values : soap_call___ns5__Values_;
    if (call(context, endpoint("Calls").c_str(), nullptr, sent, response) != SOAP_OK)
      return failure();
    return same(shown(sent), shown(response.ValuesResult));
  });
}

void built_in() {
  values("time", [](auto& sent) { sent.Time = text("13:20:05Z"); });
  values("date and dateTime", [](auto& sent) {
    sent.Date = text("2024-02-29");
    sent.DateTime = value(time_t{1709243998});
  });
  values("duration", [](auto& sent) { sent.Duration = text("P1Y2M1DT2H3M4S"); });
  values("gYear, gMonthDay ...", [](auto& sent) {
    sent.Year = text("1999");
    sent.YearMonth = text("1999-05");
    sent.Month = text("--05");
    sent.MonthDay = text("--02-29");
    sent.Day = text("---31");
  });
  values("hexBinary and base64Binary", [](auto& sent) {
    sent.Hex = value(bytes<xsd__hexBinary>(std::string("\0\1\xFF", 3)));
    sent.Base64 = value(bytes<xsd__base64Binary>(std::string("\0\1\xFF\xFE", 4)));
  });
  values("decimal", [](auto& sent) { sent.Decimal = text("12345678901234567.12345"); });
  values("long and unsignedLong", [](auto& sent) {
    sent.Most = value(std::numeric_limits<ULONG64>::max());
    sent.Least = value(std::numeric_limits<LONG64>::min());
  });
  values("INF", [](auto& sent) { sent.Endless = value(-std::numeric_limits<double>::infinity()); });
}

std::string mirror() {
  auto* sent = make<ns7__Tagged>();
  sent->__item = "Zoë";
  sent->lang = "en";
  ns7__Tagged response;
  response.soap_default(context);
  const auto call = is_11() ? soap_call___ns7__Mirror : soap_call___ns7__Mirror_;
  if (call(context, endpoint("Mirrors").c_str(), nullptr, sent, response) != SOAP_OK)
    return failure();
  return same("Zoë en", response.__item + " " + response.lang);
}

/// A request with only a text, and its response.
template <class Request, class Response, class Stub>
bool ask(Stub stub11, Stub stub12, const char* asked, Response& response) {
  auto* sent = make<Request>();
  sent->Text = asked;
  response.soap_default(context);
  return (is_11() ? stub11 : stub12)(context, endpoint("Calls").c_str(), nullptr, sent, response) ==
         SOAP_OK;
}

std::string find() {
  _ns5__FindResponse response;
  if (!ask<_ns5__Find>(soap_call___ns5__Find, soap_call___ns5__Find_, "find", response))
    return failure();
  std::string found = std::to_string(response.Count);
  for (const std::string& word : response.Word)
    found += " " + word;
  return same("2 one two", found);
}

std::string enter() {
  context->header = soap_new_SOAP_ENV__Header(context);
  context->header->ns5__Login_ = make<ns5__Login>();
  context->header->ns5__Login_->Key = "Zoë";
  context->header->ns6__Trace_ = make<ns6__Trace>();
  context->header->ns6__Trace_->Id = "t1";
  _ns5__EnterResponse response;
  if (!ask<_ns5__Enter>(soap_call___ns5__Enter, soap_call___ns5__Enter_, "in", response))
    return failure();
  return same("in", response.EnterResult);
}

std::string pay() {
  _ns5__PayResponse response;
  if (!ask<_ns5__Pay>(soap_call___ns5__Pay, soap_call___ns5__Pay_, "pay", response))
    return failure();
  const SOAP_ENV__Header* header = context->header;
  if (!header || !header->ns5__Receipt_ || !header->ns6__Trace_) return "no header";
  return same(
      "paid 7 t2",
      response.PayResult + " " + std::to_string(header->ns5__Receipt_->Number) + " " +
          header->ns6__Trace_->Id);
}

std::string fail() {
  _ns5__FailResponse response;
  if (ask<_ns5__Fail>(soap_call___ns5__Fail, soap_call___ns5__Fail_, "fail", response))
    return "no fault, but " + response.FailResult;
  const SOAP_ENV__Detail* detail =
      is_11() ? context->fault->detail : context->fault->SOAP_ENV__Detail;
  if (!detail || !detail->ns5__Problem_) return "no detail: " + failure();
  const ns5__Problem& problem = *detail->ns5__Problem_;
  return same(
      "7 Zoë it failed",
      std::to_string(problem.Code) + " " + problem.Text + " " + soap_fault_string(context));
}

std::string forget() {
  auto* sent = make<_ns5__Forget>();
  sent->Text = "forget";
  const auto send = is_11() ? soap_send___ns5__Forget : soap_send___ns5__Forget_;
  if (send(context, endpoint("Calls").c_str(), nullptr, sent) != SOAP_OK) return failure();
  return soap_recv_empty_response(context) == SOAP_OK ? "" : failure();
}

std::string add() {
  auto* note = make<ns8__Tagged>();
  note->__item = "Zoë";
  note->lang = "en";
  const std::string url = endpoint("Sums");
  int sum = 0;
  int error = SOAP_OK;
  if (is_11()) {
    ns8__AddResponse response;
    error = soap_call_ns8__Add(context, url.c_str(), nullptr, 2, 3, note, response);
    sum = response.sum;
  } else {
    ns8__AddResponse_ response;
    error = soap_call_ns8__Add_(context, url.c_str(), nullptr, 2, 3, note, response);
    sum = response.sum;
  }
  return error == SOAP_OK ? same("5", std::to_string(sum)) : failure();
}

template <class Sent, class Response, class Stub>
std::string put(Stub stub11, Stub stub12, Sent& sent, Response& response) {
  response.soap_default(context);
  const auto stub = is_11() ? stub11 : stub12;
  const bool done = stub(context, endpoint("Rows").c_str(), nullptr, &sent, response) == SOAP_OK;
  return done ? "" : failure();
}

ns9__Line* line(const char* article, int count) {
  auto* made = make<ns9__Line>();
  made->Article = article;
  made->Count = count;
  return made;
}

arr__KeyValueOfstringint* score(const char* key, int number) {
  auto* made = make<arr__KeyValueOfstringint>();
  made->Key = key;
  made->Value = number;
  return made;
}

std::string put_order() {
  auto* order = make<ns9__Order>();
  order->Lines = make<ns9__ArrayOfItem>();
  order->Lines->Item = {line("Zoë", 1), line("<b>", -2)};
  order->Words = make<ns9__ArrayOfString>();
  order->Words->string = {"one", "two"};
  _ns9__PutOrder sent;
  sent.soap_default(context);
  sent.order = order;
  _ns9__PutOrderResponse response;
  const std::string wrong =
      put(soap_call___ns9__PutOrder, soap_call___ns9__PutOrder_, sent, response);
  return wrong.empty() ? same(shown(order), shown(response.PutOrderResult)) : wrong;
}

std::string put_scores() {
  auto* scores = make<ns9__Scores>();
  scores->Scores = make<arr__ArrayOfKeyValueOfstringint>();
  scores->Scores->KeyValueOfstringint = {score("Ann", 1), score("Zoë", 2)};
  auto* numbered = make<ns9__Numbered>();
  numbered->Number = 7;
  numbered->Line = line("a", 1);
  scores->Lines = make<ns9__ArrayOfNumbered>();
  scores->Lines->Numbered = {numbered};
  _ns9__PutScores sent;
  sent.soap_default(context);
  sent.scores = scores;
  _ns9__PutScoresResponse response;
  const std::string wrong =
      put(soap_call___ns9__PutScores, soap_call___ns9__PutScores_, sent, response);
  return wrong.empty() ? same(shown(scores), shown(response.PutScoresResult)) : wrong;
}

std::string put_event() {
  auto* event = make<ns9__Event>();
  event->Day = "2024-02-29";
  event->At = time_t{1709211900};
  event->Length = "PT1H30M";
  event->Price = "10.50";
  event->Line = line("a", 1);
  _ns9__PutEvent sent;
  sent.soap_default(context);
  sent.event = event;
  _ns9__PutEventResponse response;
  const std::string wrong =
      put(soap_call___ns9__PutEvent, soap_call___ns9__PutEvent_, sent, response);
  return wrong.empty() ? same(shown(event), shown(response.PutEventResult)) : wrong;
}

std::string add_two() {
  _ns9__Add sent;
  sent.soap_default(context);
  sent.a = 2;
  sent.b = 3;
  _ns9__AddResponse response;
  const std::string wrong = put(soap_call___ns9__Add, soap_call___ns9__Add_, sent, response);
  return wrong.empty() ? same("5", std::to_string(response.AddResult)) : wrong;
}

void rows() {
  feature("wrapped list", put_order);
  feature("map", put_scores);
  feature("types by adapters", put_event);
  feature("parameters", add_two);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  address = argv[1];
  version = argv[2];
  context = soap_new1(SOAP_XML_STRICT | SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE);
  names_and_attributes();
  structures();
  derived();
  wildcards();
  lists_and_unions();
  simple_types();
  built_in();
  feature("bare operation", mirror);
  feature("several response elements", find);
  feature("header blocks in requests", enter);
  feature("header blocks in responses", pay);
  feature("declared fault", fail);
  feature("one-way operation", forget);
  feature("rpc/literal", add);
  rows();
  soap_free(context);
}
