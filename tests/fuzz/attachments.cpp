// Multipart messages ([attachments]). The first line is the Content-Type, the next line the size of
// the pieces; the rest is the body.
//
// Promised: the pieces of a body do not matter. The reader finds the same parts, or refuses the
// body for the same reason. The parts are bytes of the body, in their order, within the maximum
// number. Every invalid header is refused by a fault.
#include "fuzz.hpp"

namespace {

using namespace soapsvc::detail;
using fuzz::require;

soapsvc::message_limits bounds() {
  soapsvc::message_limits made;
  made.max_parts = 20;
  made.max_part_header_bytes = 400;
  made.max_part_bytes = 2'000;
  return made;
}
const soapsvc::message_limits narrow = bounds();

/// The result of reading a body in pieces of `size` bytes, as a text that is equal exactly when two
/// readings agree.
std::string parts_of(std::string_view body, const std::string& boundary, std::size_t size) {
  multipart_reader reader(boundary, narrow);
  std::string told;
  std::size_t end = std::min(size, body.size());
  std::string_view text = body.substr(0, end);
  for (;;) {
    std::string_view found;
    const char* const before = text.data();
    const auto what = reader.read(text, end == body.size(), found);
    require(text.data() >= before && fuzz::is_within(text, body), "the reader goes forward");
    require(found.empty() || fuzz::is_within(found, body), "what is found is of the body");
    require(reader.count() <= narrow.max_parts, "parts are bounded");
    if (what == multipart_reader::found::head) {
      require(found.size() <= narrow.max_part_header_bytes, "headers are bounded");
      const part_head head = read_part_head(found, reader.count());
      told.append("\n|").append(head.id).append("|").append(head.type.type).append("|");
    }
    if (what == multipart_reader::found::bytes) told.append(found);
    if (what == multipart_reader::found::end) return told;
    if (what != multipart_reader::found::nothing) continue;
    const auto left = static_cast<std::size_t>(text.data() - body.data());
    end = std::min(end + size, body.size());
    text = body.substr(left, end - left);
  }
}

std::string parts_or_fault(std::string_view body, const std::string& boundary, std::size_t size) {
  try {
    return parts_of(body, boundary, size);
  } catch (const soapsvc::fault& refused) {
    return refused.reason();
  }
}

/// Read like a server: as a whole, and in pieces.
void check_messages(std::string_view type, std::string_view body, std::size_t size) {
  std::string whole, root;
  try {
    multipart_message there(type, narrow);
    there.read(body);
    whole = there.root();
    require(fuzz::is_within(there.root(), body) || whole.empty(), "the root is of the body");
  } catch (const soapsvc::fault&) {
    whole = "refused";
  }
  try {
    multipart_message comes(type, narrow);
    std::size_t given = 0;
    comes.begin({}, [&](std::span<char> to) {
      const std::size_t got = body.copy(to.data(), std::min(size, to.size()), given);
      given += got;
      return got;
    });
    char room[100];
    while (const std::size_t got = comes.read_piece(room))
      root.append(room, got);
    comes.keep_rest();
    require(whole == "refused" || root == whole, "both ways the root is the same", root);
  } catch (const soapsvc::fault&) {
    require(whole == "refused" || body.size() > narrow.max_part_bytes, "only one way refuses");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body = fuzz::text_of(data, size);
  const std::string_view type = fuzz::take_line(body);
  const std::string_view said = fuzz::take_line(body);
  const std::size_t piece = 1 + (said.empty() ? 0U : static_cast<unsigned char>(said.front()));
  const soapsvc::http_header accept[] = {{"Accept", type}};
  static_cast<void>(accepts_parts(accept));
  static_cast<void>(kept_attachments::content_id_of(said));
  try {
    const related_facts facts = read_related(type);
    const std::string whole = parts_or_fault(body, facts.boundary, body.size() + 1);
    const std::string pieces = parts_or_fault(body, facts.boundary, piece);
    require(whole == pieces, "pieces make no difference", whole + "\n---\n" + pieces);
  } catch (const soapsvc::fault&) {
    return 0;
  }
  check_messages(type, body, piece);
  return 0;
}
