// pugixml accepts more than XML, so the text is checked before it is parsed, and the elements afterwards. Before: size
// and encoding, then one walk (`Outline`) that counts depth and roots and refuses what the formats never use.
// Afterwards: repeated attributes.
//
// Example: pugixml accepts <a></a><a></a>; the walk refuses the second root. The walk compares no names:
// <a></b> is left to pugixml.
//
// pugixml knows where an element's name begins, and nothing about the places of attributes. For an error about an
// attribute, the tag is read again to find it; a file without errors pays nothing for that.
//
// Every walk only goes forward. O(text): attributes are compared in pairs, but an element may have at most 64.

#include "base/xml_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "base/stop.h"
#include "base/text.h"

namespace onceover::base {

namespace {

constexpr std::size_t largest_text = std::size_t{64} << 20;
constexpr int deepest = 16;
constexpr std::size_t most_attributes = 64;  // of one element

/// What is wrong in a text, and at which byte.
struct Trouble {
  std::size_t offset;
  std::string message;
};

/// One walk over the text before it is parsed. It refuses what the parser would wrongly accept or fail on: text between
/// elements, several roots, document types, too much depth. It stores only the depth and the number of roots.
class Outline {
 public:
  explicit Outline(std::string_view text) : text_(text) {}

  std::optional<Trouble> check() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_[at_] != '<') {
        return Trouble{at_, "text between elements; expected '<'. Was another program's output printed into the file?"};
      } else if (auto trouble = markup()) {
        return trouble;
      }
    }
    if (depth_ > 0) return Trouble{text_.size(), "the text ends inside an element; is the file cut?"};
    if (roots_ == 0) return Trouble{0, "there is no element in it"};
    return std::nullopt;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  std::optional<Trouble> markup() {
    if (starts("<!--")) return skip_to("-->", "the comment doesn't end", 4);
    if (starts("<?")) return instruction();
    if (starts("<!"))
      return Trouble{at_, "document types, entities and CDATA are no part of the format; expected an element"};
    if (starts("</")) {
      if (--depth_ < 0) return Trouble{at_, "an end tag without its element"};
      return skip_to(">", "the end tag doesn't end");
    }
    return element();
  }

  /// The only encodings that a prolog may name are UTF-8 and ASCII.
  std::optional<Trouble> instruction() {
    const std::size_t begin = at_;
    if (auto trouble = skip_to("?>", "the processing instruction doesn't end")) return trouble;
    const std::string_view all = text_.substr(begin, at_ - begin);
    const std::size_t encoding = all.find("encoding");
    if (all.substr(0, 5) != "<?xml" || encoding == std::string_view::npos) return std::nullopt;
    const std::size_t value = std::min(all.find_first_of("\"'", encoding), all.size() - 1) + 1;
    const std::string_view name = all.substr(value, all.find_first_of("\"'", value) - value);
    constexpr std::string_view known[] = {"UTF-8", "utf-8", "US-ASCII", "us-ascii", "ASCII"};
    if (has(known, name)) return std::nullopt;
    return Trouble{begin + value, fmt::format("encoding: expected UTF-8, found '{:.30}'", name)};
  }

  /// Moves behind `end`, which may begin after `opening` letters: in "<!-->" a comment has only begun.
  std::optional<Trouble> skip_to(std::string_view end, std::string_view otherwise, std::size_t opening = 2) {
    const std::size_t found = text_.find(end, at_ + opening);
    if (found == std::string_view::npos) return Trouble{at_, std::string(otherwise)};
    at_ = found + end.size();
    return std::nullopt;
  }

  std::optional<Trouble> element() {
    const std::size_t begin = at_;
    if (depth_ == 0 && ++roots_ > 1) return Trouble{begin, "a second root; expected the end of the text"};
    if (depth_ == deepest) return Trouble{begin, fmt::format("more than {} elements inside each other", deepest)};
    char quote = 0;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '<') {
        return Trouble{at_, "'<' inside a tag; is the '>' before it missing?"};
      } else if (c == '>') {
        if (text_[at_ - 1] != '/') ++depth_;
        ++at_;
        return std::nullopt;
      }
    }
    return Trouble{begin, quote != 0 ? "an attribute's value doesn't end" : "the tag doesn't end"};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int roots_ = 0;
};

std::optional<Trouble> check_bytes(std::string_view text) {
  if (text.size() > largest_text) return Trouble{0, fmt::format("more than {} MiB", largest_text >> 20)};
  if (text.substr(0, 2) == "\xFE\xFF" || text.substr(0, 2) == "\xFF\xFE")
    return Trouble{0, "this is UTF-16; expected UTF-8"};
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return Trouble{zero, "a zero byte; is this UTF-16 or UTF-32? Expected UTF-8"};
  return std::nullopt;
}

}  // namespace

bool looks_like_xml(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view begin : {"\xFE\xFF"sv, "\xFF\xFE"sv, "\0<"sv, "\0\0"sv})  // UTF-16, UTF-32: refused later
    if (text.substr(0, 2) == begin) return true;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  return first != text.end() && *first == '<';
}

std::optional<std::int64_t> whole_number(std::string_view value) {
  const std::string_view digits = value.substr(std::min(value.find_first_not_of('-'), value.size()));
  if ((digits.size() > 1 || digits.size() < value.size()) && digits.substr(0, 1) == "0") return std::nullopt;
  return parse_whole<std::int64_t>(value);
}

XmlSource::XmlSource(std::string_view name, std::string_view text) : name_(name), text_(text) {
  if (text.starts_with(byte_order_mark)) mark_ = byte_order_mark.size();
}

tl::expected<XmlSource, SourceError> XmlSource::parse(std::string_view name, std::string_view text) {
  XmlSource source(name, text);
  if (const auto trouble = check_bytes(text))
    return tl::unexpected(source_error(name, text, trouble->offset, trouble->message));
  if (const auto trouble = Outline(text.substr(source.mark_)).check())
    return tl::unexpected(source_error(name, text, source.mark_ + trouble->offset, trouble->message));
  if (const auto error = source.load()) return tl::unexpected(*error);
  return source;
}

std::optional<SourceError> XmlSource::load() {
  const std::string_view body = text_.substr(mark_);
  const auto result =
      document_.load_buffer(body.data(), body.size(), pugi::parse_default & ~pugi::parse_escapes, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result) {
    const auto at = mark_ + static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    return source_error(name_, text_, at, fmt::format("malformed XML: {}", result.description()));
  }
  for (std::size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1))
    newlines_.push_back(at);
  return check_attributes();
}

// Most elements have the attributes of the one visited before, in their order, which needn't be compared in pairs
// again.
std::optional<SourceError> XmlSource::check_attributes() const {
  // A stack, because there is no recursion on the depth of a file.
  std::vector<pugi::xml_node> to_visit{root()};
  std::vector<std::string_view> names;
  std::vector<std::string_view> before;
  while (!to_visit.empty()) {
    stop_point();
    const pugi::xml_node element = to_visit.back();
    to_visit.pop_back();
    names.clear();
    for (pugi::xml_attribute a = element.first_attribute(); a; a = a.next_attribute()) names.emplace_back(a.name());
    if (names != before)
      if (auto error = repeated(element, names)) return error;
    names.swap(before);
    for (pugi::xml_node child = element.first_child(); child; child = child.next_sibling())
      if (child.type() == pugi::node_element) to_visit.push_back(child);
  }
  return std::nullopt;
}

/// What is wrong with the attributes called `names` of an element: one of them twice, or too many.
std::optional<SourceError> XmlSource::repeated(pugi::xml_node element, std::span<const std::string_view> names) const {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k == most_attributes) return error(element, fmt::format("more than {} attributes", most_attributes));
    const auto earlier = names.first(std::min(k, most_attributes));
    if (has(earlier, names[k]))
      return error(element, names[k],
                   fmt::format("attribute {} stands twice in <{}>", names[k].substr(0, 60),
                               std::string_view(element.name()).substr(0, 60)));
  }
  return std::nullopt;
}

std::size_t XmlSource::offset(pugi::xml_node element) const {
  return mark_ + static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0));
}

std::size_t XmlSource::offset(pugi::xml_node element, std::string_view attribute) const {
  const std::size_t begin = offset(element);
  std::size_t at = begin;
  auto is_name = [&](char c) { return !is_blank(c) && c != '=' && c != '/' && c != '>' && c != '"' && c != '\''; };
  while (at < text_.size() && is_name(text_[at])) ++at;  // the element's name
  std::size_t found = begin;
  while (at < text_.size() && text_[at] != '>') {
    const std::size_t name_begin = at;
    while (at < text_.size() && is_name(text_[at])) ++at;
    const std::string_view name = text_.substr(name_begin, at - name_begin);
    while (at < text_.size() && !is_name(text_[at]) && text_[at] != '"' && text_[at] != '\'' && text_[at] != '>') ++at;
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) continue;
    if (name == attribute) found = at + 1;  // the last one: if it is repeated, that one is wrong
    const std::size_t end = text_.find(text_[at], at + 1);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return found;
}

XmlSource::Place XmlSource::place(pugi::xml_node element) const {
  const std::size_t at = offset(element);
  const auto after = std::lower_bound(newlines_.begin(), newlines_.end(), at);
  const std::size_t begin = after == newlines_.begin() ? 0 : *(after - 1) + 1;
  return {static_cast<std::uint32_t>(after - newlines_.begin()) + 1, static_cast<std::uint32_t>(at - begin) + 1};
}

SourceError XmlSource::error(std::size_t offset, std::string_view message) const {
  return source_error(name_, text_, offset, message);
}

SourceError XmlSource::error(pugi::xml_node element, std::string_view message) const {
  return source_error(name_, text_, offset(element), message);
}

SourceError XmlSource::error(pugi::xml_node element, std::string_view attribute, std::string_view message) const {
  return source_error(name_, text_, offset(element, attribute), message);
}

tl::expected<std::string_view, SourceError> XmlSource::text(pugi::xml_node element, const char* attribute) const {
  const auto found = element.attribute(attribute);
  if (!found) return tl::unexpected(error(element, fmt::format("<{}> has no attribute {}", element.name(), attribute)));
  return found.value();
}

tl::expected<std::int64_t, SourceError> XmlSource::number(pugi::xml_node element, const char* attribute,
                                                          std::int64_t least, std::int64_t most) const {
  const auto value = TRY(text(element, attribute));
  const auto number = whole_number(value);
  if (!number && (value.substr(0, 1) == "0" || value.substr(0, 2) == "-0"))
    return tl::unexpected(error(element, attribute,
                                fmt::format("{}: '{:.60}' begins with 0, so the runtimes read it as octal or "
                                            "hexadecimal; write it in decimal",
                                            attribute, value)));
  if (!number || *number < least || *number > most)
    return tl::unexpected(error(element, attribute,
                                fmt::format("{}: expected a whole number from {} to {}, found '{}'", attribute, least,
                                            most, value.substr(0, 60))));
  return *number;
}

}  // namespace onceover::base
