// JSON events with their places in the text, for readers that report line and column.
#pragma once

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// An iterator over a text that records how far the parser has read.
class JsonCursor {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  JsonCursor(const char* at, std::size_t* read) : at_(at), read_(read) {}

  reference operator*() const { return *at_; }
  JsonCursor& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  JsonCursor operator++(int) {
    JsonCursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const JsonCursor& a, const JsonCursor& b) { return a.at_ == b.at_; }
  friend bool operator!=(const JsonCursor& a, const JsonCursor& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

/// Where tokens are in a text that is being parsed.
class JsonPlaces {
 public:
  explicit JsonPlaces(std::string_view text) : text_(text) {}

  /// Feeds the text to a SAX handler (nlohmann's interface). False if the handler or the parser stopped.
  template <class Handler>
  bool parse(Handler& handler) {
    read_ = 0;
    const JsonCursor begin(text_.data(), &read_);
    const JsonCursor end(text_.data() + text_.size(), &read_);
    return nlohmann::json::sax_parse(begin, end, &handler, nlohmann::json::input_format_t::json, true);
  }

  /// The byte after the last one read.
  std::size_t here() const { return read_; }

  /// Where the bracket, string, number or word of the current event begins.
  std::size_t bracket() const { return read_ - 1; }
  std::size_t string() const;
  std::size_t number() const;
  std::size_t word() const;

  /// The source text of the current number.
  std::string number_text() const;

  std::string_view text() const { return text_; }

 private:
  std::size_t number_end() const;

  std::string_view text_;
  std::size_t read_ = 0;
};

/// The parser's message without its prefix and of bounded length: "unexpected end of input; expected ']'".
std::string json_complaint(const nlohmann::detail::exception& error);

}  // namespace onceover::base
