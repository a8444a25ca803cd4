#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/toml.h"

namespace onceover::base {

void KeyReader::refuse_unknown(const TomlTable& table, std::span<const std::string_view> known,
                               std::string_view where) {
  for (const TomlEntry& entry : table.entries)
    if (!has(known, entry.key))
      return fail(entry.offset, fmt::format("no key '{}' in {}{}; there are {}", entry.key, where,
                                            suggestion(entry.key, known), fmt::join(known, ", ")));
}

std::optional<std::string> KeyReader::text_of(const TomlValue& value, std::string_view what) {
  const std::string* text = value.text();
  if (text != nullptr && !text->empty() && text->find('\0') == std::string::npos) return *text;
  fail_value(value, fmt::format("expected {}, found {}", what,
                                text == nullptr ? value.kind()
                                : text->empty() ? "an empty text"
                                                : "a text with a zero byte"));
  return std::nullopt;
}

std::optional<std::int64_t> KeyReader::number_of(const TomlValue& value, std::int64_t least, std::int64_t most) {
  const std::int64_t* number = value.integer();
  if (number != nullptr && *number >= least && *number <= most) return *number;
  fail_value(value, fmt::format("expected a whole number from {} to {}, found {}", least, most,
                                number == nullptr ? std::string(value.kind()) : std::to_string(*number)));
  return std::nullopt;
}

std::optional<std::size_t> KeyReader::name_of(const TomlValue& value, std::string_view text,
                                              std::span<const std::string_view> known, std::string_view noun) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  fail_value(value, fmt::format("no {} '{}'{}", noun, text, suggestion(text, known)));
  return std::nullopt;
}

void KeyReader::fail(std::size_t offset, std::string_view message) {
  if (!error_) error_ = source_error(name_, text_, offset, message);
}

void KeyReader::fail_value(const TomlValue& value, std::string_view message) {
  fail(value, fmt::format("{}: {}", key_, message));
}

void KeyReader::fail_option(const TomlValue& value, const Failure& failure) {
  std::string_view message = failure.message;
  if (message.starts_with("--")) message.remove_prefix(2);
  fail(value, message);
}

void KeyReader::fail_within(const TomlValue& value, const std::string& text, const SourceError& inner) {
  const std::size_t quote = value.offset;
  std::size_t line_begin = 0;
  for (std::size_t line = 1; line < inner.line; ++line) line_begin = text.find('\n', line_begin) + 1;
  const bool is_plain = quote < text_.size() && text_.compare(quote + 1, text.size(), text) == 0;
  fail(is_plain ? quote + line_begin + inner.column : quote, fmt::format("{}: {}", key_, inner.message));
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  out += '"';
  return out;
}

}  // namespace onceover::base
