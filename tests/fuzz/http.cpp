// HTTP framing (S11). The first byte says how many of the next bytes are cuts, each the size of a
// piece; the rest is what a caller sends on one connection.
//
// Promised: it does not matter in which pieces bytes arrive: the reader of S11 finds the same
// requests, and the host, on a Unix domain socket, gives the same replies, each of them HTTP. No
// byte of one request is taken for another's.
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <filesystem>

#include "fuzz.hpp"
#include "soapsvc.hpp"

struct Words {
    std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<Words> = record(field("Text", &Words::text));

class Parrot {
public:
    std::optional<std::string> say(const Words& words) { return words.text; }
};
template <>
inline constexpr auto soapsvc::schema<Parrot> = service("Parrot", operation("Say", &Parrot::say));

namespace {

using namespace soapsvc::detail;
using fuzz::require;

constexpr http_bounds bounds{2'048, 12, 256, 1'024};

// --- The reader alone ----------------------------------------------------------------------------

/// What one request is, in a text that two readings share exactly when they agree.
std::string facts_of(const http_head& head, std::string_view body) {
    std::string facts;
    facts.append(head.method).append(" ").append(head.target);
    facts += head.is_http10 ? " 1.0" : " 1.1";
    facts += head.keep_alive ? " keep" : " close";
    for (const soapsvc::http_header& field : head.fields)
        facts.append("\n").append(field.name).append(": ").append(field.value);
    return facts.append("\n\n").append(body);
}

/// What S11 relies on in every head that was accepted.
void check_head(const http_head& head) {
    require(is_token(head.method) && !head.target.empty(), "a request line has its parts");
    require(head.fields.size() <= bounds.header_fields, "fields are bounded");
    require(head.target.size() <= bounds.target_bytes, "the target is bounded");
    std::size_t hosts = 0;
    std::size_t lengths = 0;
    for (const soapsvc::http_header& field : head.fields) {
        require(is_token(field.name) && is_field_value(field.value), "a field is one");
        hosts += equal_ignoring_case(field.name, "host");
        lengths += equal_ignoring_case(field.name, "content-length") ||
                   equal_ignoring_case(field.name, "transfer-encoding");
    }
    require(hosts <= 1 && (hosts == 1 || head.is_http10), "one Host");
    require(lengths <= 1, "one length");
    require(head.method != "POST" || lengths == 1, "a POST has a length");
}

/// Plays a connection: gives `stream` to the reader as if it came in pieces that end at `cuts`, and
/// returns what was read. Where requests end in `stream` goes to `ends`.
std::vector<std::string> requests_in(
    std::string_view stream, const std::vector<std::size_t>& cuts, std::vector<std::size_t>& ends) {
    std::vector<std::string> found;
    ends.clear();
    std::string kept;
    http_reader reader;
    http_head head;
    std::size_t taken = 0;  // of the stream
    std::size_t removed = 0;  // chunk framing that the reader took out of this request
    const auto read_kept = [&] {
        while (!kept.empty()) {
            std::size_t size = kept.size();
            const auto now = reader.read(kept.data(), size, bounds, head);
            require(size <= kept.size(), "bytes are only taken out");
            removed += kept.size() - size;
            kept.resize(size);
            if (now == http_reader::state::refused) {
                const http_refusal& why = reader.refusal();
                require(why.status >= 400 && why.status <= 505, "a refusal has a status");
                require(!why.reason.empty(), "a refusal has a reason");
                found.push_back("refused " + std::to_string(why.status));
                return false;
            }
            if (now != http_reader::state::complete) {
                require(kept.size() <= bounds.header_bytes + bounds.body_bytes + 2'200, "bounded");
                return true;
            }
            require(reader.consumed() <= kept.size(), "no more than there is");
            require(!parse_head(reader.head_text(kept.data()), head), "a head is read again");
            check_head(head);
            require(reader.body(kept.data()).size() <= bounds.body_bytes, "a body is bounded");
            found.push_back(facts_of(head, reader.body(kept.data())));
            ends.push_back(taken - (kept.size() - reader.consumed()));
            kept.erase(0, reader.consumed());
            reader = http_reader{};
            removed = 0;
            if (!head.keep_alive) return false;
        }
        return true;
    };
    for (const std::size_t cut : cuts) {
        kept.append(stream.substr(taken, cut - taken));
        taken = cut;
        if (!read_kept()) return found;
    }
    if (!reader.is_fresh()) found.push_back("unfinished");
    return found;
}

/// The cuts that the input asks for: ends of pieces, the last one the end of the stream.
std::vector<std::size_t> chosen_cuts(std::string_view sizes, std::size_t size) {
    std::vector<std::size_t> cuts;
    std::size_t at = 0;
    for (const char piece : sizes) {
        at += 1U + static_cast<unsigned char>(piece);
        if (at >= size) break;
        cuts.push_back(at);
    }
    cuts.push_back(size);
    return cuts;
}

void check_reader(std::string_view stream, const std::vector<std::size_t>& cuts) {
    std::vector<std::size_t> ends;
    std::vector<std::size_t> other_ends;
    const auto whole = requests_in(stream, {stream.size()}, ends);
    const auto pieces = requests_in(stream, cuts, other_ends);
    require(whole == pieces, "the same requests in pieces", stream);
    require(ends == other_ends, "which end where they did", stream);
    if (stream.size() <= 512) {
        std::vector<std::size_t> every(stream.size());
        for (std::size_t at = 0; at != every.size(); ++at)
            every[at] = at + 1;
        require(requests_in(stream, every, other_ends) == whole, "the same byte by byte", stream);
    }
    // Each request alone is what it was in the stream: nothing leaks from one into the next.
    std::size_t begin = 0;
    for (std::size_t index = 0; index != ends.size(); ++index) {
        const std::string_view part = stream.substr(begin, ends[index] - begin);
        const auto alone = requests_in(part, {part.size()}, other_ends);
        require(alone.size() == 1 && alone[0] == whole[index], "a request stands alone", part);
        begin = ends[index];
    }
}

// --- The host ------------------------------------------------------------------------------------

/// A host with one worker on a Unix domain socket, for as long as the process lives.
class served_host {
public:
    static served_host& get() {
        static served_host only;
        return only;
    }
    ~served_host() {
        host_.stop();
        thread_.join();
        std::filesystem::remove_all(folder_);
    }

    /// Sends the pieces one after the other, each after the host has taken the one before. Returns
    /// all that it answered until it closed.
    std::string send(std::string_view stream, const std::vector<std::size_t>& cuts) const {
        descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path_.copy(address.sun_path, path_.size());
        require(
            ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
            "the host takes a connection");
        std::size_t at = 0;
        for (const std::size_t cut : cuts) {
            const std::string_view piece = stream.substr(at, cut - at);
            const auto sent = ::send(fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
            if (sent != static_cast<ssize_t>(piece.size())) break;  // it has closed
            at = cut;
            if (cut != stream.size()) wait_until_taken(fd.get());
        }
        ::shutdown(fd.get(), SHUT_WR);
        return receive_all(fd.get());
    }

    std::size_t connections() const { return host_.statistics().connections; }

private:
    served_host() : host_(options()) {
        char name[] = "/tmp/soapsvc-fuzz-XXXXXX";
        require(::mkdtemp(name) != nullptr, "a folder for the socket");
        folder_ = name;
        path_ = folder_ + "/s";
        host_.add(parrot_);
        host_.bind_unix(path_);
        thread_ = std::thread([this] { host_.serve(); });
    }
    static soapsvc::host_options options() {
        soapsvc::host_options made;
        made.ns_base = "urn:x";
        made.base_path = "/";
        made.threads = 1;
        made.spare_threads = 0;
        made.limits.body_bytes = bounds.body_bytes;
        made.header_bytes = bounds.header_bytes;
        made.header_fields = bounds.header_fields;
        made.target_bytes = bounds.target_bytes;
        made.unfinished_bytes = 1'048'576;
        made.header_timeout = made.silence_timeout = made.idle_timeout = std::chrono::minutes(5);
        made.on_error = [](const soapsvc::error_report& report) {
            fuzz::broken("no incidents", report.what);
        };
        return made;
    }
    /// Until the host has read all: at most a tenth of a second.
    static void wait_until_taken(int fd) {
        for (int turn = 0; turn != 1'000; ++turn) {
            int waiting = 0;
            if (::ioctl(fd, SIOCOUTQ, &waiting) != 0 || waiting == 0) return;
            turn < 100 ? std::this_thread::yield()
                       : std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
    std::string receive_all(int fd) const {
        std::string all;
        char part[16'384];
        for (;;) {
            if (!wait_for_bytes(fd)) stuck(fd, all);
            const auto count = ::recv(fd, part, sizeof part, 0);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return all;
            all.append(part, static_cast<std::size_t>(count));
            require(all.size() < 1'048'576, "replies are bounded");
        }
    }
    /// For a minute, which is no question of speed: a wake-up was lost then, as the host's own
    /// deadlines are longer. The fuzzer's timer interrupts it.
    static bool wait_for_bytes(int fd) {
        for (int turn = 0; turn != 60; ++turn) {
            pollfd ready{fd, POLLIN, 0};
            if (::poll(&ready, 1, 1'000) > 0) return true;
        }
        return false;
    }
    [[noreturn]] void stuck(int fd, std::string_view received) const {
        int unread = 0;
        ::ioctl(fd, SIOCOUTQ, &unread);
        const soapsvc::host_statistics now = host_.statistics();
        fuzz::broken(
            "the host answers, or closes",
            std::to_string(now.accepted) + " accepted, " + std::to_string(now.connections) +
                " open, " + std::to_string(now.parked) + " parked, " + std::to_string(now.queued) +
                " queued, " + std::to_string(unread) + " bytes not taken; received:\n" +
                std::string(received));
    }

    Parrot parrot_;
    soapsvc::host host_;
    std::string folder_, path_;
    std::thread thread_;
};

/// One reply of a connection's, taken off the front of `rest`.
struct read_reply {
    int status = 0;
    std::string head, body;
    bool closes = false;
};

/// By the strict rules of RFC 9112, 4, 5 and 6: the host's own replies need no tolerance.
read_reply take_reply(std::string_view& rest, bool of_head_request) {
    read_reply taken;
    const std::size_t end = rest.find("\r\n\r\n");
    require(end != rest.npos, "a reply has a head", rest);
    std::string_view head = rest.substr(0, end + 2);
    rest.remove_prefix(end + 4);
    require(head.starts_with("HTTP/1.1 "), "a status line", head);
    const auto parsed = std::from_chars(head.data() + 9, head.data() + 12, taken.status);
    require(parsed.ptr == head.data() + 12 && head[12] == ' ', "a status", head);
    std::size_t length = 0;
    std::size_t lengths = 0;
    head.remove_prefix(head.find("\r\n") + 2);
    taken.head = std::to_string(taken.status);
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        head.remove_prefix(line.size() + 2);
        const std::size_t colon = line.find(": ");
        require(colon != line.npos && is_token(line.substr(0, colon)), "a field", line);
        const std::string_view name = line.substr(0, colon);
        const std::string_view value = line.substr(colon + 2);
        require(is_field_value(value), "a field's value", line);
        if (name == "Content-Length") {
            ++lengths;
            std::from_chars(value.data(), value.data() + value.size(), length);
        }
        taken.closes |= name == "Connection" && value == "close";
        // Made anew each time.
        const bool varies = name == "Date" || name == "X-Request-Id";
        taken.head.append("\n").append(name).append(varies ? "" : value);
    }
    require(lengths == (taken.status == 100 ? 0U : 1U), "one Content-Length", taken.head);
    // A HEAD whose body was too long was read as far as its method, and has a reply without a body.
    if (of_head_request || (taken.status == 413 && rest.empty())) length = 0;
    require(length <= rest.size(), "a body of its length", rest);
    taken.body = rest.substr(0, length);
    rest.remove_prefix(length);
    return taken;
}

/// Cuts what came on one connection into replies. Whether each is to a HEAD is known from the
/// requests, which the reader has found before.
std::string replies_in(std::string_view all, const std::vector<std::string>& requests) {
    std::string seen;
    std::size_t index = 0;
    bool closed = false;
    while (!all.empty()) {
        require(!closed, "nothing follows a reply that closes", all);
        const bool known = index < requests.size();
        const read_reply reply = take_reply(all, known && requests[index].starts_with("HEAD "));
        if (reply.status == 100) continue;  // only a caller who waits is told to go on
        ++index;
        closed = reply.closes;
        seen.append(reply.head).append("\n\n").append(reply.body).append("\n====\n");
        if (known && requests[index - 1].starts_with("refused "))
            require(
                requests[index - 1] == "refused " + std::to_string(reply.status),
                "refused with the reader's status",
                reply.head);
    }
    // "unfinished" is answered with a 400 too, when there is enough of it to be a request.
    require(index == requests.size(), "a reply to each request, and no more", seen);
    return seen;
}

void check_host(std::string_view stream, const std::vector<std::size_t>& cuts) {
    std::vector<std::size_t> ends;
    const auto requests = requests_in(stream, {stream.size()}, ends);
    served_host& host = served_host::get();
    require(host.connections() <= 64, "connections end");
    const std::string whole = replies_in(host.send(stream, {stream.size()}), requests);
    if (cuts.size() == 1) return;
    const std::string pieces = replies_in(host.send(stream, cuts), requests);
    require(whole == pieces, "the same replies in pieces", whole + "---- pieces:\n" + pieces);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view all = fuzz::text_of(data + 1, size - 1);
    const std::string_view sizes = all.substr(0, data[0] % 16U);
    const std::string_view stream = all.substr(sizes.size());
    if (stream.empty()) return 0;
    const auto cuts = chosen_cuts(sizes, stream.size());
    check_reader(stream, cuts);
    check_host(stream, cuts);
    return 0;
}
