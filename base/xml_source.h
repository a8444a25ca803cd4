// XML elements with their places in the text, for readers that report line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

/// Does the text begin like XML, behind an optional byte order mark and blanks, or like UTF-16 or UTF-32?
bool looks_like_xml(std::string_view text);

struct XmlAttribute {
  std::string_view name;
  std::string_view value;
};

/// An element, in an XmlSource. What it has are parts of the text as they are written.
struct XmlElement {
  std::string_view name;
  std::string_view content;  // from its start tag to its end tag
  std::span<const XmlAttribute> attributes;
  const XmlElement* end;  // elements lie in the order of their start tags: those in this one are from behind it to here

  const XmlAttribute* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  /// The attribute's value; empty if there is none.
  std::string_view value(std::string_view attribute) const;

  /// The elements directly in it, only those with the name if one is given.
  std::vector<const XmlElement*> children(std::string_view with_name = {}) const;
};

/// A text read as XML by expat, of bounded size and depth. Document types (and so a file's own entities) are refused,
/// and, unless the format has it, text between elements. Values are taken as they are written: character references
/// aren't replaced, because the runtimes don't replace them. The text must outlive this object.
///
/// Memory: 56 bytes an element, 32 an attribute, 8 a line.
class XmlSource {
 public:
  static tl::expected<XmlSource, SourceError> parse(std::string_view name, std::string_view text,
                                                    bool has_text = false);

  const XmlElement& root() const { return elements_.front(); }

  /// The line of an element, from 1, and its column, from 1 in bytes. O(log lines).
  struct Place {
    std::uint32_t line, column;
  };
  Place place(const XmlElement& element) const;
  std::uint32_t line(const XmlElement& element) const { return place(element).line; }

  std::string_view text() const { return text_; }

  /// The byte at which a part of the text begins.
  std::size_t offset(std::string_view part) const { return static_cast<std::size_t>(part.data() - text_.data()); }

  /// An error at a byte of the text, at an element's name, or at an attribute's value. If the element lacks the
  /// attribute, the error points at the element's name.
  SourceError error(std::size_t offset, std::string_view message) const;
  SourceError error(const XmlElement& element, std::string_view message) const;
  SourceError error(const XmlElement& element, std::string_view attribute, std::string_view message) const;

  /// The attribute as a whole number from `least` to `most`: digits, with at most a minus before them. Leading zeros
  /// are refused, because the runtimes read such numbers as octal.
  tl::expected<std::int64_t, SourceError> number(const XmlElement& element, std::string_view attribute,
                                                 std::int64_t least, std::int64_t most) const;

  /// The text of a required attribute, as long as this object.
  tl::expected<std::string_view, SourceError> text(const XmlElement& element, std::string_view attribute) const;

 private:
  class Builder;

  XmlSource(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  std::string name_;
  std::string_view text_;
  std::vector<std::size_t> newlines_;
  std::vector<XmlElement> elements_;
  std::vector<XmlAttribute> attributes_;
};

/// The whole number that a value spells, if it fits and all runtimes read its digits alike.
std::optional<std::int64_t> whole_number(std::string_view value);

}  // namespace onceover::base
