// Expat reads the text and calls back at each tag. It doesn't say where attributes are, and replaces references in
// their values. But a tag that it passes on is well-formed. So its attributes are easily found in the text itself.
//
// Example: of <a b="1" c='x>'/>, expat says that it begins at byte 0, has 17 bytes and the attributes b and c. So their
// values are what stands between the next quote behind each name and the quote after that.
//
// Elements and attributes are allocated before expat runs, because no exception may pass through it: no text has more
// of them than '<' and '='. O(text).

#include "base/xml_source.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"

namespace onceover::base {

namespace {

constexpr std::size_t largest_text = std::size_t{64} << 20;
constexpr std::size_t deepest = 100;
constexpr std::string_view text_between =
    "text between elements; expected '<'. Was another program's output printed into the file?";

/// What is wrong in a text, and at which byte.
struct Trouble {
  std::size_t offset;
  std::string message;
};

std::optional<Trouble> check_bytes(std::string_view text) {
  if (text.size() > largest_text) return Trouble{0, fmt::format("more than {} MiB", largest_text >> 20)};
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) return Trouble{0, "this is UTF-16; expected UTF-8"};
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return Trouble{zero, "a zero byte; is this UTF-16 or UTF-32? Expected UTF-8"};
  return std::nullopt;
}

/// What is wrong with markup that doesn't end.
std::string_view unclosed(std::string_view markup) {
  if (markup.starts_with("<!") || markup.starts_with("<?")) return "what begins here doesn't end";
  return std::count(markup.begin(), markup.end(), '"') % 2 == 1 ? "an attribute's value doesn't end"
                                                                : "the tag doesn't end";
}

}  // namespace

/// Fills a source with what expat reports.
class XmlSource::Builder {
 public:
  Builder(XmlSource& source, bool has_text) : source_(source), parser_(XML_ParserCreate("UTF-8"), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    mark_ = source.text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    const auto count = [&](char c) { return std::count(source.text_.begin(), source.text_.end(), c); };
    source_.elements_.reserve(std::min<std::size_t>(count('<'), source.text_.size() / 4));  // <a/>
    source_.attributes_.reserve(std::min<std::size_t>(count('='), source.text_.size() / 5));
    source_.newlines_.reserve(count('\n'));
    open_.reserve(deepest);
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(), [](void* it, const char* name, const char** attributes) { of(it).begin(name, attributes); },
        [](void* it, const char*) { of(it).end(); });
    XML_SetXmlDeclHandler(parser_.get(),
                          [](void* it, const char*, const char* encoding, int) { of(it).check_encoding(encoding); });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* it, const char*, const char*, const char*, int) {
      of(it).refuse(0, "document types and entities are not read; expected an element");
    });
    if (!has_text)
      XML_SetCharacterDataHandler(parser_.get(), [](void* it, const char* text, int size) {
        of(it).check_blank({text, std::size_t(size)});
      });
  }

  std::optional<Trouble> run() {
    const std::string_view body = source_.text_.substr(mark_);
    if (XML_Parse(parser_.get(), body.data(), static_cast<int>(body.size()), XML_TRUE) == XML_STATUS_OK) {
      for (std::size_t at = body.find('\n'); at != std::string_view::npos; at = body.find('\n', at + 1))
        source_.newlines_.push_back(mark_ + at);
      return std::nullopt;
    }
    if (!refusal_.empty()) return Trouble{refused_at_, std::string(refusal_)};
    return Trouble{here(), complaint(XML_GetErrorCode(parser_.get()))};
  }

 private:
  static Builder& of(void* it) { return *static_cast<Builder*>(it); }

  std::size_t here() const { return mark_ + static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get())); }

  std::string_view markup() const {
    return source_.text_.substr(here(), static_cast<std::size_t>(XML_GetCurrentByteCount(parser_.get())));
  }

  /// Stops at a byte of the current markup.
  void refuse(std::size_t at, std::string_view message) {
    if (!refusal_.empty()) return;
    refusal_ = message;
    refused_at_ = here() + at;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void begin(std::string_view name, const char** attributes) {
    if (open_.size() == deepest) refuse(0, "more than 100 elements inside each other");
    if (!refusal_.empty()) return;
    const std::string_view tag = markup();
    const std::size_t first = source_.attributes_.size();
    std::size_t at = 1 + name.size();
    for (; *attributes != nullptr; attributes += 2) {
      const std::size_t name_begin = tag.find_first_not_of(" \t\r\n", at);
      const std::size_t quote = tag.find_first_of("\"'", name_begin);
      at = tag.find(tag[quote], quote + 1) + 1;
      source_.attributes_.push_back(
          {tag.substr(name_begin, std::string_view(*attributes).size()), tag.substr(quote + 1, at - quote - 2)});
    }
    source_.elements_.push_back(
        {tag.substr(1, name.size()), tag.substr(tag.size()), std::span(source_.attributes_).subspan(first), nullptr});
    open_.push_back(&source_.elements_.back());
  }

  void end() {
    if (!refusal_.empty()) return;
    XmlElement& element = *open_.back();
    const std::size_t begin = source_.offset(element.content);
    element.content = source_.text_.substr(begin, here() - begin);
    element.end = source_.elements_.data() + source_.elements_.size();
    open_.pop_back();
  }

  /// The only encodings that a prolog may name are UTF-8 and ASCII.
  void check_encoding(const char* name) {
    constexpr std::string_view known[] = {"UTF-8", "utf-8", "US-ASCII", "us-ascii", "ASCII"};
    if (name != nullptr && !has(known, std::string_view(name)))
      refuse(markup().find(name, markup().find("encoding") + 8), "encoding: expected UTF-8");
  }

  void check_blank(std::string_view text) {
    const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
    if (first != text.end()) refuse(static_cast<std::size_t>(first - text.begin()), text_between);
  }

  std::string complaint(XML_Error code) const {
    switch (code) {
      case XML_ERROR_NO_MEMORY: throw std::bad_alloc();
      case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return source_.text_[here()] == '<' ? "a second root; expected the end of the text" : std::string(text_between);
      case XML_ERROR_NO_ELEMENTS:
        return open_.empty() ? "there is no element in it" : "the text ends inside an element; is the file cut?";
      case XML_ERROR_SYNTAX: return std::string(text_between);  // before the root
      case XML_ERROR_UNCLOSED_TOKEN: return std::string(unclosed(source_.text_.substr(here())));
      case XML_ERROR_TAG_MISMATCH: return fmt::format("expected </{:.60}>", open_.back()->name);
      case XML_ERROR_DUPLICATE_ATTRIBUTE: return "the element has this attribute twice";
      default: return fmt::format("malformed XML: {}", XML_ErrorString(code));
    }
  }

  XmlSource& source_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::size_t mark_;  // bytes of the byte order mark
  std::vector<XmlElement*> open_;
  std::string_view refusal_;
  std::size_t refused_at_ = 0;
};

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

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  return row_with(attributes, &XmlAttribute::name, attribute);
}

std::string_view XmlElement::value(std::string_view attribute) const {
  const XmlAttribute* found = find(attribute);
  return found != nullptr ? found->value : "";
}

std::vector<const XmlElement*> XmlElement::children(std::string_view with_name) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement* child = this + 1; child != end; child = child->end)
    if (with_name.empty() || child->name == with_name) found.push_back(child);
  return found;
}

tl::expected<XmlSource, SourceError> XmlSource::parse(std::string_view name, std::string_view text, bool has_text) {
  XmlSource source(name, text);
  auto trouble = check_bytes(text);
  if (!trouble) trouble = Builder(source, has_text).run();
  if (trouble) return tl::unexpected(source.error(trouble->offset, trouble->message));
  return source;
}

XmlSource::Place XmlSource::place(const XmlElement& element) const {
  const std::size_t at = offset(element.name);
  const auto after = std::lower_bound(newlines_.begin(), newlines_.end(), at);
  const std::size_t begin = after == newlines_.begin() ? 0 : *(after - 1) + 1;
  return {static_cast<std::uint32_t>(after - newlines_.begin()) + 1, static_cast<std::uint32_t>(at - begin) + 1};
}

SourceError XmlSource::error(std::size_t offset, std::string_view message) const {
  return source_error(name_, text_, offset, message);
}

SourceError XmlSource::error(const XmlElement& element, std::string_view message) const {
  return error(offset(element.name), message);
}

SourceError XmlSource::error(const XmlElement& element, std::string_view attribute, std::string_view message) const {
  const XmlAttribute* found = element.find(attribute);
  return error(offset(found != nullptr ? found->value : element.name), message);
}

tl::expected<std::string_view, SourceError> XmlSource::text(const XmlElement& element,
                                                            std::string_view attribute) const {
  if (const XmlAttribute* found = element.find(attribute)) return found->value;
  return tl::unexpected(error(element, fmt::format("<{:.60}> has no attribute {}", element.name, attribute)));
}

tl::expected<std::int64_t, SourceError> XmlSource::number(const XmlElement& element, std::string_view attribute,
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
