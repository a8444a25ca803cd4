// XML elements with their place in the text, for readers that report line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

/// Does the text begin like XML, after a byte order mark and blanks?
bool looks_like_xml(std::string_view text);

/// A text that was parsed as XML: elements and attributes only, one root, no attribute twice, in bounded size and
/// depth. Document types, and with them entities of the file's own, are refused; so is text between elements. Values
/// are taken as they are written, without character references, as the runtimes take them. The text must outlive it.
class XmlSource {
 public:
  static tl::expected<XmlSource, SourceError> parse(std::string_view name, std::string_view text);

  pugi::xml_node root() const { return document_.document_element(); }

  /// The line of an element, from 1. O(log lines).
  std::uint32_t line(pugi::xml_node element) const;
  std::uint32_t column(pugi::xml_node element) const;

  std::string_view text() const { return text_; }

  /// An error at a place of the text, at an element's name, or at an attribute's value; where there is no such
  /// attribute at the element's name.
  SourceError error(std::size_t offset, std::string_view message) const;
  SourceError error(pugi::xml_node element, std::string_view message) const;
  SourceError error(pugi::xml_node element, std::string_view attribute, std::string_view message) const;

  /// A whole number from `least` to `most`; the whole value must be one, in digits with a minus at most.
  /// No leading zeros, by which the runtimes tell octal numbers.
  tl::expected<std::int64_t, SourceError> number(pugi::xml_node element, const char* attribute, std::int64_t least,
                                                 std::int64_t most) const;

  /// An attribute that must be there.
  tl::expected<std::string, SourceError> text(pugi::xml_node element, const char* attribute) const;

 private:
  XmlSource(std::string_view name, std::string_view text);

  std::optional<SourceError> load();
  std::optional<SourceError> check_attributes() const;
  std::size_t offset(pugi::xml_node element) const;
  std::size_t offset(pugi::xml_node element, std::string_view attribute) const;

  std::string name_;
  std::string_view text_;
  std::size_t mark_ = 0;  // bytes of the byte order mark
  std::vector<std::size_t> newlines_;
  pugi::xml_document document_;
};

/// The whole number that a value is, if it is one that fits, and in whose digits all runtimes read the same.
std::optional<std::int64_t> whole_number(std::string_view value);

}  // namespace onceover::base
