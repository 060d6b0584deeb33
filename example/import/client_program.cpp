#include "client_program.hpp"

namespace importer {

const char* const client_includes = R"text(#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

)text";

const char* const client_call = R"text(
namespace client_program {

/// The one call of a run: what the command line asks for, and what came of it.
struct Call {
    std::string url;
    std::string operation;
    std::string file;
    bool shows_sample = false;
    bool speaks_json = false;
    soapsvc::client_options options;
    std::string fault;  ///< code and reason, of the server or of what is wrong with the request
    bool was_answered = false;  ///< the fault, if any, is the server's
    std::string failure;  ///< why there is no answer
};
Call call;

/// Adds the detail of a fault if it is of this type.
template <class Detail>
void add_detail(soapsvc::fault& to, const soapsvc::remote_fault& from) {
    if (const auto detail = soapsvc::read_detail<Detail>(from)) to = to.with(*detail);
}

/// What each operation does here: the server does it. What of a fault's detail the contract
/// declares is passed on.
template <class... Details, class Result, class Service, class... Parameters, class... Arguments>
Result hand_on(
    const char* operation,
    Result (Service::*method)(Parameters...),
    const Arguments&... arguments) {
    if (call.operation != operation)
        throw soapsvc::fault(
            soapsvc::fault_code::client, std::string("the request is for ") + operation);
    try {
        soapsvc::client<Service> server(call.url, call.options);
        call.was_answered = true;
        return server.call(method, arguments...);
    } catch (const soapsvc::remote_fault& refused) {
        soapsvc::fault told(refused.code(), refused.reason());
        if (!refused.subcode().empty()) told = told.with_subcode(refused.subcode());
        (add_detail<Details>(told, refused), ...);
        throw told;
    }
}

}  // namespace client_program
)text";

const char* const client_operations = R"text(
namespace client_program {

struct Operation {
    const char* service;
    const char* name;
};
constexpr Operation operations[] = {
)text";

const char* const client_notations = R"text(
// -- XML and JSON ---------------------------------------------------------------------------------
// JSON says what XML says: a member is an element, "@name" an attribute, "#text" the text beside
// attributes, a list an element several times, and null one that is xsi:nil. Element and attribute
// names keep their prefixes, and "@xmlns" the namespace, as the sample has them.

struct Element {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<Element> children;
    std::string text;
};

std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (c == '<')
            made += "&lt;";
        else if (c == '>')
            made += "&gt;";
        else if (c == '&')
            made += "&amp;";
        else if (c == '"')
            made += "&quot;";
        else
            made += c;
    }
    return made;
}

std::string unescaped(std::string_view text) {
    static constexpr std::pair<std::string_view, char> names[] = {
        {"&lt;", '<'},
        {"&gt;", '>'},
        {"&amp;", '&'},
        {"&quot;", '"'},
        {"&apos;", '\''},
        {"&#39;", '\''},
        {"&#9;", '\t'},
        {"&#10;", '\n'},
        {"&#13;", '\r'},
        {"&#x9;", '\t'},
        {"&#xA;", '\n'},
        {"&#xD;", '\r'}};
    std::string made;
    while (!text.empty()) {
        std::size_t used = 1;
        char c = text.front();
        for (const auto& [name, meant] : names)
            if (c == '&' && text.starts_with(name)) {
                used = name.size();
                c = meant;
                break;
            }
        made += c;
        text.remove_prefix(used);
    }
    return made;
}

/// Reads XML that the library has written, so nothing is checked.
class XmlReader {
public:
    explicit XmlReader(std::string_view text) : rest_(text) {}

    Element read() {
        skip_to_tag();
        return element();
    }

private:
    std::string_view until(std::string_view end) {
        const std::size_t at = std::min(rest_.find(end), rest_.size());
        const std::string_view taken = rest_.substr(0, at);
        rest_.remove_prefix(std::min(at + end.size(), rest_.size()));
        return taken;
    }

    /// Text up to the next tag; comments and the XML declaration are no text.
    std::string skip_to_tag() {
        std::string text;
        while (!rest_.empty()) {
            const std::size_t tag = std::min(rest_.find('<'), rest_.size());
            text += unescaped(rest_.substr(0, tag));
            rest_.remove_prefix(tag);
            if (rest_.starts_with("<!--"))
                until("-->");
            else if (rest_.starts_with("<![CDATA["))
                text += until("]]>").substr(9);
            else if (rest_.starts_with("<?"))
                until("?>");
            else
                break;
        }
        return text;
    }

    Element element() {
        Element made;
        rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
        const std::size_t end = std::min(rest_.find_first_of(" \t\r\n/>"), rest_.size());
        made.name = rest_.substr(0, end);
        rest_.remove_prefix(end);
        if (!attributes(made)) return made;
        for (made.text = skip_to_tag(); !rest_.empty() && !rest_.starts_with("</");
             made.text += skip_to_tag())
            made.children.push_back(element());
        until(">");
        const bool is_blank = made.text.find_first_not_of(" \t\r\n") == std::string::npos;
        if (is_blank && !made.children.empty()) made.text.clear();
        return made;
    }

    /// Whether the element has content.
    bool attributes(Element& of) {
        while (true) {
            const std::size_t next = rest_.find_first_not_of(" \t\r\n");
            rest_.remove_prefix(std::min(next, rest_.size()));
            if (rest_.empty()) return false;
            if (rest_.starts_with("/>") || rest_.starts_with(">")) {
                const bool is_empty = rest_.front() == '/';
                until(">");
                return !is_empty;
            }
            const std::string_view said = until("=");
            const std::string name(said.substr(0, said.find_last_not_of(" \t\r\n") + 1));
            rest_.remove_prefix(std::min(rest_.find_first_of("\"'"), rest_.size()));
            const std::string quote(rest_.substr(0, 1));
            rest_.remove_prefix(quote.size());
            of.attributes.emplace_back(name, unescaped(until(quote)));
        }
    }

    std::string_view rest_;
};

std::string to_xml(const Element& from) {
    std::string made = '<' + from.name;
    for (const auto& [name, value] : from.attributes)
        made += ' ' + name + "=\"" + escaped(value) + '"';
    made += '>' + escaped(from.text);
    for (const Element& each : from.children)
        made += to_xml(each);
    return made + "</" + from.name + '>';
}

std::string quoted(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string made = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            made.append("\\") += c;
        else if (c == '\n')
            made += "\\n";
        else if (code < ' ')
            made.append("\\u00").append({digits[code / 16], digits[code % 16]});
        else
            made += c;
    }
    return made + '"';
}

std::string to_json(const Element& from, const std::string& indent = "\n") {
    if (from.attributes.empty() && from.children.empty()) return quoted(from.text);
    const std::string inner = indent + "  ";
    std::vector<std::string> members;
    for (const auto& [name, value] : from.attributes)
        members.push_back(quoted('@' + name) + ": " + quoted(value));
    if (!from.text.empty()) members.push_back("\"#text\": " + quoted(from.text));
    for (auto first = from.children.begin(); first != from.children.end(); ++first) {
        const auto is_same = [&](const Element& each) { return each.name == first->name; };
        if (std::any_of(from.children.begin(), first, is_same)) continue;  // in the list already
        if (std::none_of(first + 1, from.children.end(), is_same)) {
            members.push_back(quoted(first->name) + ": " + to_json(*first, inner));
            continue;
        }
        std::string items;
        for (auto each = first; each != from.children.end(); ++each)
            if (is_same(*each))
                items += (items.empty() ? "" : ",") + inner + "  " + to_json(*each, inner + "  ");
        members.push_back(quoted(first->name) + ": [" + items + inner + ']');
    }
    std::string made;
    for (const std::string& each : members)
        made += (made.empty() ? "" : ",") + inner + each;
    return '{' + made + indent + '}';
}

/// Reads JSON that a person has written. Throws std::runtime_error with the line.
class JsonReader {
public:
    explicit JsonReader(const std::string& text) : text_(text) {}

    Element read() {
        Element made;
        value(made, 0);
        if (next() != '\0') refuse("unexpected text after the value");
        return made;
    }

private:
    [[noreturn]] void refuse(const std::string& reason) const {
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
        const auto line = std::count(text_.begin(), end, '\n') + 1;
        throw std::runtime_error("the JSON, line " + std::to_string(line) + ": " + reason);
    }

    char next() {
        at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
        return at_ == text_.size() ? '\0' : text_[at_];
    }
    bool take(char c) {
        if (next() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) refuse(std::string("expected '") + c + '\'');
    }

    /// Gives an element its content: an object's members, or a text.
    void value(Element& to, int depth) {
        if (depth == 100) refuse("more than 100 levels");
        if (next() == '{') return members(to, depth);
        if (next() == '[') refuse("a list must be a member's value; it cannot contain a list");
        bool is_null = false;
        to.text = scalar(is_null);
        if (is_null) to.attributes.emplace_back("xsi:nil", "true");
    }

    void members(Element& to, int depth) {
        expect('{');
        if (take('}')) return;
        do {
            if (next() != '"') refuse("expected a name in quotes");
            member(to, string(), depth);
        } while (take(','));
        expect('}');
    }

    void member(Element& to, const std::string& name, int depth) {
        expect(':');
        if (name == "#text" || name.starts_with('@')) {
            bool is_null = false;
            const std::string said = scalar(is_null);
            if (name == "#text")
                to.text = said;
            else if (!is_null)
                to.attributes.emplace_back(name.substr(1), said);
            return;
        }
        const bool is_list = take('[');
        if (is_list && take(']')) return;
        do {
            Element& made = to.children.emplace_back();
            made.name = name;
            value(made, depth + 1);
        } while (is_list && take(','));
        if (is_list) expect(']');
    }

    /// Numbers keep their digits: what they mean is the contract's business.
    std::string scalar(bool& is_null) {
        if (next() == '"') return string();
        const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        const std::string word = text_.substr(at_, end - at_);
        is_null = word == "null";
        const bool is_number = word.find_first_of("0123456789") != std::string::npos &&
                               word.find_first_not_of("0123456789+-.eE") == std::string::npos;
        if (!is_null && !is_number && word != "true" && word != "false")
            refuse("'" + word + "' is not a JSON value");
        at_ = end;
        return is_null ? std::string() : word;
    }

    std::string string() {
        std::string made;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\') {
                made += text_[at_];
                continue;
            }
            static constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
            const char c = ++at_ < text_.size() ? text_[at_] : '\0';
            if (c == 'u')
                add_code(made);
            else if (const auto known = names.find(c); known != names.npos)
                made += meant[known];
            else
                refuse("JSON has no such escape");
        }
        if (at_ >= text_.size()) refuse("a string has no closing quote");
        ++at_;
        return made;
    }

    unsigned hex_digits() {
        unsigned code = 0;
        for (int left = 4; left != 0; --left) {
            static constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
            const std::size_t digit = ++at_ < text_.size() ? digits.find(text_[at_]) : digits.npos;
            if (digit == digits.npos) refuse("\\u needs four hexadecimal digits");
            code = code * 16 + static_cast<unsigned>(digit % 16);
        }
        return code;
    }

    /// A character as UTF-8; those outside of the first plane are two escapes.
    void add_code(std::string& to) {
        unsigned code = hex_digits();
        if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_ + 1, 2, "\\u") == 0) {
            at_ += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + ((hex_digits() - 0xDC00) & 0x3FF);
        }
        const auto add = [&](unsigned byte) { to += static_cast<char>(byte); };
        if (code < 0x80) return add(code);
        if (code < 0x800) {
            add(0xC0 | code >> 6);
        } else if (code < 0x10000) {
            add(0xE0 | code >> 12);
            add(0x80 | (code >> 6 & 0x3F));
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 0x3F));
            add(0x80 | (code >> 6 & 0x3F));
        }
        add(0x80 | (code & 0x3F));
    }

    const std::string& text_;
    std::size_t at_ = 0;
};
)text";

const char* const client_main = R"text(
// -- Requests and responses -----------------------------------------------------------------------

constexpr std::string_view soap_12 = "http://www.w3.org/2003/05/soap-envelope";

/// What stands between two texts; empty when the first is not there.
std::string between(std::string_view text, std::string_view before, std::string_view behind) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + before.size());
    return std::string(text.substr(0, text.find(behind)));
}

/// What a help page says of an operation's requests.
struct Sample {
    std::string envelope;
    std::string type;  ///< the fields Content-Type and SOAPAction
    std::string action;
};

/// The sample of the version that was asked for, or of the only one that the service has.
Sample sample_of(const soapsvc::dispatcher& services, const Operation& operation) {
    const std::string path(services.path_of(operation.service));
    const std::string target = path + "?op=" + operation.name;
    const soapsvc::http_header host{"Host", "localhost"};
    soapsvc::http_request request{"GET", target, {&host, 1}};
    const std::string page = services.handle(request).body;
    const bool is_12 = call.options.version == soapsvc::soap_version::v1_2;
    for (const char* version : {is_12 ? "1.2" : "1.1", is_12 ? "1.1" : "1.2"}) {
        const std::string label = "aria-label=\"SOAP " + std::string(version) + " request";
        const std::string head = unescaped(between(page, label + ", HTTP\">", "</pre>")) + '\n';
        const std::string envelope = unescaped(between(page, label + "\">", "</pre>"));
        if (!envelope.empty())
            return {
                envelope,
                between(head, "\nContent-Type: ", "\n"),
                between(head, "\nSOAPAction: ", "\n")};
    }
    throw std::runtime_error(std::string("there is no sample of ") + operation.name);
}

/// The content of an envelope, without what all envelopes have.
Element opened(const std::string& envelope) {
    Element made = XmlReader(envelope).read();
    made.attributes.clear();
    for (Element& each : made.children)
        each.name.erase(0, each.name.find(':') + 1);
    return made;
}

/// The envelope of JSON, in the version of the sample.
std::string closed(Element content, const std::string& sample) {
    const std::string ns = sample.find(soap_12) != std::string::npos
                               ? std::string(soap_12)
                               : "http://schemas.xmlsoap.org/soap/envelope/";
    content.name = "soap:Envelope";
    content.attributes = {
        {"xmlns:soap", ns},
        {"xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"},
        {"xmlns:xsd", "http://www.w3.org/2001/XMLSchema"}};
    for (Element& each : content.children)
        each.name.insert(0, "soap:");
    return to_xml(content);
}

std::string read_file(const std::string& name) {
    std::ifstream file;
    if (name != "-") {
        file.open(name, std::ios::binary);
        if (!file) throw std::runtime_error(name + " cannot be read");
    }
    std::istream& from = name == "-" ? std::cin : file;
    return {std::istreambuf_iterator<char>(from), {}};
}

/// Who is to blame, and why.
std::string fault_text(soapsvc::fault_code code, std::string_view reason) {
    const char* name = "Server";
    switch (code) {
    case soapsvc::fault_code::client: name = "Client"; break;
    case soapsvc::fault_code::server: break;
    case soapsvc::fault_code::must_understand: name = "MustUnderstand"; break;
    case soapsvc::fault_code::version_mismatch: name = "VersionMismatch"; break;
    case soapsvc::fault_code::data_encoding_unknown: name = "DataEncodingUnknown"; break;
    }
    return std::string(name) + ": " + std::string(reason);
}

int print_sample(const Sample& sample) {
    std::cout << (call.speaks_json ? to_json(opened(sample.envelope)) : sample.envelope) << '\n';
    return 0;
}

/// Sends what the file holds and prints the response. What is no request of the contract is not
/// sent.
int send(const soapsvc::dispatcher& services, const Operation& operation) {
    std::string body = read_file(call.file);
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && body[first] == '{') {
        call.speaks_json = true;
        body = closed(JsonReader(body).read(), sample_of(services, operation).envelope);
    }
    const bool is_12 = body.find(soap_12) != std::string::npos;
    call.options.version = is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
    const Sample sample = sample_of(services, operation);
    const std::string path(services.path_of(operation.service));
    const soapsvc::http_header fields[] = {
        {"Host", "localhost"}, {"Content-Type", sample.type}, {"SOAPAction", sample.action}};
    const std::size_t used = sample.action.empty() ? 2 : 3;
    const soapsvc::http_response response = services.handle({"POST", path, {fields, used}, body});
    if (!call.failure.empty()) {
        std::cerr << call.failure << '\n';
        return 3;
    }
    if (!call.was_answered) {
        std::cerr << "not sent: " << (call.fault.empty() ? response.body : call.fault) << '\n';
        return 2;
    }
    if (!response.body.empty())
        std::cout << (call.speaks_json ? to_json(opened(response.body)) : response.body) << '\n';
    if (call.fault.empty()) return 0;
    std::cerr << "fault: " << call.fault << '\n';
    return 1;
}

// -- The command line -----------------------------------------------------------------------------

constexpr const char* usage =
    R"(Calls the operations of a service.

  client URL                             lists the operations
  client URL OPERATION --sample > FILE   prints a request with every field filled; edit it
  client URL OPERATION FILE              sends it and prints the response; - is standard input

URL is the address of the service, without ?wsdl. OPERATION is the name that the list shows, with or
without its service. FILE holds the envelope in XML, as --sample prints it, or in JSON:
  {"Body": {"Greet": {"@xmlns": "urn:example", "Name": "Ada", "@id": 7}}}
In JSON, "@id" is an attribute, and "#text" is the text of an element with attributes. An array is
an element that repeats. null is an element with xsi:nil. Write "@xmlns" in the same elements as
the sample does. The response has the format of the request.

  --json           prints the sample in JSON
  --soap 1.2       the SOAP version of the sample and of requests in JSON [1.1]
  --header TEXT    an HTTP header to send, such as "Authorization: Bearer abc"; repeatable
  --ca FILE        certificates of the authorities to trust [those of the system]
  --help           prints this text

Exit status: 0 (success), 1 (the server answered with a fault), 2 (nothing was sent, because of an
error in the command line or in the request), 3 (no response).
)";

/// What is wrong with the command line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void read_option(const std::string& name, const std::string& value) {
    if (name == "--soap") {
        if (value != "1.1" && value != "1.2") throw UsageError("--soap must be 1.1 or 1.2");
        const bool is_12 = value == "1.2";
        call.options.version = is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
    } else if (name == "--ca") {
        call.options.ca_file = value;
    } else if (name == "--header") {
        const std::size_t colon = value.find(':');
        if (colon == std::string::npos) throw UsageError("--header must be \"Name: value\"");
        const std::size_t begin = std::min(value.find_first_not_of(' ', colon + 1), value.size());
        call.options.headers.emplace_back(value.substr(0, colon), value.substr(begin));
    } else {
        throw UsageError("there is no option " + name);
    }
}

void read_arguments(const std::vector<std::string>& arguments) {
    std::vector<std::string*> places{&call.url, &call.operation, &call.file};
    std::size_t place = 0;
    for (auto each = arguments.begin(); each != arguments.end(); ++each) {
        if (*each == "--sample") {
            call.shows_sample = true;
        } else if (*each == "--json") {
            call.speaks_json = true;
        } else if (each->starts_with("--")) {
            const bool is_last = each + 1 == arguments.end();
            read_option(*each, is_last ? std::string() : *(each + 1));
            if (is_last) throw UsageError(*each + " needs a value");
            ++each;
        } else if (place != places.size()) {
            *places[place++] = *each;
        } else {
            throw UsageError("unexpected argument '" + *each + '\'');
        }
    }
    if (call.url.empty()) throw UsageError("URL is missing; see --help");
    if (!call.operation.empty() && call.shows_sample != call.file.empty())
        throw UsageError("give either --sample or a FILE to send");
}

/// With the service in front, where two may have operations of one name.
std::string full_name(const Operation& of) { return std::string(of.service) + '.' + of.name; }

const Operation& find_operation(const std::string& name) {
    for (const Operation& each : operations)
        if (name == each.name || name == full_name(each)) return each;
    throw UsageError("there is no operation " + name + "; without OPERATION, all are listed");
}

int run() {
    if (call.operation.empty()) {
        for (const Operation& each : operations)
            std::cout << full_name(each) << '\n';
        return 0;
    }
    soapsvc::dispatcher_options options{.ns_base = "http://localhost:8080"};
    options.on_call = [](const soapsvc::call_report& report) {
        if (report.fault_code) call.fault = fault_text(*report.fault_code, report.fault_reason);
    };
    options.on_error = [](const soapsvc::error_report& report) { call.failure = report.what; };
    soapsvc::dispatcher services{options};
    add_services(services);
    const Operation& operation = find_operation(call.operation);
    call.operation = operation.name;
    return call.shows_sample ? print_sample(sample_of(services, operation))
                             : send(services, operation);
}

/// Gives the program's exit status.
int main(const std::vector<std::string>& arguments) {
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
        std::cout << usage;
        return 0;
    }
    read_arguments(arguments);
    return run();
}

}  // namespace client_program

int main(int argc, char** argv) {
    try {
        return client_program::main({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
)text";

}  // namespace importer
