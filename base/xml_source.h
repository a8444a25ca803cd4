// XML elements with their places in the text, for readers that report line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

/// Does the text begin like XML, behind an optional byte order mark and blanks, or like UTF-16 or UTF-32?
bool looks_like_xml(std::string_view text);

/// A text parsed as XML, of bounded size and depth: elements and attributes only, one root, no repeated attribute.
/// Document types (and so a file's own entities) and text between elements are refused. Values are taken as they are
/// written: character references aren't replaced, because the runtimes don't replace them. The text must outlive this
/// object.
class XmlSource {
 public:
  static tl::expected<XmlSource, SourceError> parse(std::string_view name, std::string_view text);

  pugi::xml_node root() const { return document_.document_element(); }

  /// The line of an element, from 1, and its column, from 1 in bytes. O(log lines).
  std::uint32_t line(pugi::xml_node element) const { return place(element).line; }
  std::uint32_t column(pugi::xml_node element) const { return place(element).column; }

  struct Place {
    std::uint32_t line, column;
  };
  Place place(pugi::xml_node element) const;

  std::string_view text() const { return text_; }

  /// An error at a byte of the text, at an element's name, or at an attribute's value. If the element lacks the
  /// attribute, the error points at the element's name.
  SourceError error(std::size_t offset, std::string_view message) const;
  SourceError error(pugi::xml_node element, std::string_view message) const;
  SourceError error(pugi::xml_node element, std::string_view attribute, std::string_view message) const;

  /// The attribute as a whole number from `least` to `most`: digits, with at most a minus before them. Leading zeros
  /// are refused, because the runtimes read such numbers as octal.
  tl::expected<std::int64_t, SourceError> number(pugi::xml_node element, const char* attribute, std::int64_t least,
                                                 std::int64_t most) const;

  /// The text of a required attribute, as long as this object.
  tl::expected<std::string_view, SourceError> text(pugi::xml_node element, const char* attribute) const;

 private:
  XmlSource(std::string_view name, std::string_view text);

  std::optional<SourceError> load();
  std::optional<SourceError> check_attributes() const;
  std::optional<SourceError> repeated(pugi::xml_node element, std::span<const std::string_view> names) const;
  std::size_t offset(pugi::xml_node element) const;
  std::size_t offset(pugi::xml_node element, std::string_view attribute) const;

  std::string name_;
  std::string_view text_;
  std::size_t mark_ = 0;  // bytes of the byte order mark
  std::vector<std::size_t> newlines_;
  pugi::xml_document document_;
};

/// The whole number that a value spells, if it fits and all runtimes read its digits alike.
std::optional<std::int64_t> whole_number(std::string_view value);

}  // namespace onceover::base
