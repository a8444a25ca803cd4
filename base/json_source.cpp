#include "base/json_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/text.h"

namespace onceover::base {

namespace {

/// May the byte be in a number, or in null, true or false?
bool is_in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-' || c == '.' || c == 'E';
}

constexpr std::string_view number_letters = "0123456789+-.eE";
constexpr std::string_view word_letters = "abcdefghijklmnopqrstuvwxyz";

std::size_t begin_of_last(std::string_view text, std::string_view letters) {
  const std::size_t before = text.find_last_not_of(letters);
  return before == std::string_view::npos ? 0 : before + 1;
}

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

// Inside a JSON string a backslash precedes every quote, so the opening quote is the nearest one without a backslash.
std::size_t JsonPlaces::string() const {
  std::size_t quote = read_ - 1;
  do quote = text_.rfind('"', quote - 1);
  while (quote > 0 && text_[quote - 1] == '\\');
  return quote;
}

// The parser finds the end of a number by reading one byte further, except at the end of the text.
std::size_t JsonPlaces::number_end() const {
  const bool one_more = read_ > 0 && number_letters.find(text_[read_ - 1]) == std::string_view::npos;
  return one_more ? read_ - 1 : read_;
}

std::size_t JsonPlaces::number() const {
  return begin_of_last(text_.substr(0, number_end()), number_letters);
}

std::size_t JsonPlaces::word() const {
  return begin_of_last(text_.substr(0, read_), word_letters);
}

std::string JsonPlaces::number_text() const {
  return std::string(text_.substr(number(), number_end() - number()));
}

/// The parser's message without its prefix and of bounded length: "unexpected end of input; expected ']'".
std::string complaint_of(const nlohmann::detail::exception& error) {
  constexpr std::size_t longest = 160;
  std::string text = error.what();
  const std::size_t dash = text.find(" - ");
  if (dash != std::string::npos) text = text.substr(dash + 3);
  if (text.size() > longest) text = text.substr(0, longest) + "..";
  return text;
}

/// A handler of nlohmann's events. `open_` holds the brackets that are open, the innermost last.
class Builder {
 public:
  Builder(std::string_view name, std::string_view text, std::size_t most_nested)
      : name_(name), places_(text), most_nested_(most_nested) {}

  tl::expected<PlacedJson, SourceError> read() {
    if (!places_.parse(*this)) return tl::unexpected(*std::move(error_));
    return *std::move(result_);
  }

  bool null() { return add({places_.word(), PlacedJson::Other{"null"}}); }
  bool boolean(bool value) { return add({places_.word(), value}); }
  bool number_integer(std::int64_t) { return add({places_.number(), PlacedJson::Other{places_.number_text()}}); }
  bool number_unsigned(std::uint64_t value) { return add({places_.number(), value}); }
  bool number_float(double, const std::string&) { return number_integer(0); }
  bool string(std::string& value) { return add({places_.string(), std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open({places_.bracket(), PlacedJson::Object{}}); }
  bool start_array(std::size_t) { return open({places_.bracket(), PlacedJson::Array{}}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& key) {
    if (open_.back().value.find(key) != nullptr)
      return fail(places_.string(), fmt::format("the key \"{}\" occurs twice in this object", key));
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) {
    return fail(places_.here(), "not JSON: " + complaint_of(e));
  }

 private:
  struct Open {
    PlacedJson value;
    std::string key = {};  // of the member that is read next
  };

  bool fail(std::size_t offset, std::string_view message) {
    if (!error_) error_ = source_error(name_, places_.text(), offset, message);
    return false;
  }

  bool add(PlacedJson value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (auto* array = open_.back().value.as<PlacedJson::Array>()) {
      array->push_back(std::move(value));
    } else {
      open_.back().value.as<PlacedJson::Object>()->emplace_back(std::move(open_.back().key), std::move(value));
    }
    return true;
  }

  bool open(PlacedJson value) {
    if (open_.size() == most_nested_) return fail(places_.bracket(), "brackets are nested too deep");
    open_.push_back({std::move(value)});
    return true;
  }

  bool close() {
    PlacedJson value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  std::string_view name_;
  JsonPlaces places_;
  std::size_t most_nested_;
  std::vector<Open> open_;
  std::optional<PlacedJson> result_;
  std::optional<SourceError> error_;
};

/// Finds the first token that ends behind a byte: a handler of nlohmann's events.
class TokenFinder {
 public:
  TokenFinder(std::string_view text, std::size_t at) : places_(text), at_(at) {}

  tl::expected<JsonToken, JsonFault> find() {
    places_.parse(*this);
    if (fault_) return tl::unexpected(*std::move(fault_));
    if (token_) return *std::move(token_);
    return tl::unexpected(JsonFault{at_, "a token is missing here"});
  }

  bool null() { return pass(places_.word(), "null"); }
  bool boolean(bool value) { return pass(places_.word(), value ? "true" : "false"); }
  bool number_integer(std::int64_t) { return pass_number(); }
  bool number_unsigned(std::uint64_t) { return pass_number(); }
  bool number_float(double, const std::string&) { return pass_number(); }
  bool string(const std::string& value) { return is_before() || found(places_.string(), fmt::format("\"{}\"", value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool key(const std::string& value) { return string(value); }
  bool start_object(std::size_t) { return pass(places_.bracket(), "an object"); }
  bool start_array(std::size_t) { return pass(places_.bracket(), "a list"); }
  bool end_object() { return pass(places_.bracket(), "'}'"); }
  bool end_array() { return pass(places_.bracket(), "']'"); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) {
    constexpr int number_overflow = 406;
    if (e.id == number_overflow) return found(places_.number(), places_.number_text());
    fault_ = JsonFault{places_.here(), complaint_of(e)};
    return false;
  }

 private:
  bool is_before() const { return places_.here() <= at_; }

  bool found(std::size_t offset, std::string words) {
    token_ = JsonToken{offset, std::move(words)};
    return false;
  }

  bool pass(std::size_t offset, std::string_view words) { return is_before() || found(offset, std::string(words)); }

  /// By its begin: of 01 the parser takes 0, and has read the 1.
  bool pass_number() { return places_.number() < at_ || found(places_.number(), places_.number_text()); }

  JsonPlaces places_;
  std::size_t at_;
  std::optional<JsonToken> token_;
  std::optional<JsonFault> fault_;
};

}  // namespace

JsonScan::JsonScan(std::string_view text) : text_(text.data()) {
  constexpr std::string_view no_tokens = "}";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = text.substr(0, text.find_last_not_of(" \n\r\t") + 1);
  if (!text.ends_with('}')) text_ = (text = no_tokens).data();
  at_ = text.data();
  last_ = &text.back();
}

// Escapes and UTF-8 are left to the library. What is no string isn't taken.
std::optional<std::string_view> JsonScan::unusual_string() {
  const char* end = at_;
  while (end < last_ && *end != '"') end += *end == '\\' ? 2 : 1;
  at_ = string_;
  if (end >= last_) return std::nullopt;
  const auto value = Json::parse({string_, static_cast<std::size_t>(end + 1 - string_)});
  if (!value) return std::nullopt;
  at_ = end + 1;
  decoded_ = *value->text();
  return decoded_;
}

bool JsonScan::skip() {
  int depth = 0;
  do {
    if (at_end()) return false;
    if (*at_ == '"') {
      if (!string()) return false;
    } else {
      if (*at_ == '{' || *at_ == '[') ++depth;
      if (*at_ == '}' || *at_ == ']') --depth;
      const bool is_word = is_in_word(*at_++);
      while (is_word && is_in_word(*at_)) ++at_;
    }
  } while (depth > 0);
  return depth == 0;
}

const PlacedJson* PlacedJson::find(std::string_view key) const {
  const auto* object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto member = std::find_if(object->begin(), object->end(), [&](const auto& m) { return m.first == key; });
  return member == object->end() ? nullptr : &member->second;
}

std::string PlacedJson::words() const {
  constexpr std::size_t longest = 60;
  if (const auto* other = as<Other>()) return other->words.substr(0, longest);
  if (const auto* truth = as<bool>()) return *truth ? "true" : "false";
  if (const auto* count = as<std::uint64_t>()) return std::to_string(*count);
  if (const auto* text = as<std::string>()) return fmt::format("\"{}\"", text->substr(0, longest));
  return as<Array>() ? "a list" : "an object";
}

tl::expected<PlacedJson, SourceError> read_placed_json(std::string_view name, std::string_view text,
                                                       std::size_t most_nested) {
  return Builder(name, text, most_nested).read();
}

tl::expected<JsonToken, JsonFault> json_token_at(std::string_view text, std::size_t at) {
  return TokenFinder(text, at).find();
}

}  // namespace onceover::base
