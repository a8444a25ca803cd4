#include "base/json_source.h"

namespace onceover::base {

namespace {

constexpr std::string_view number_letters = "0123456789+-.eE";
constexpr std::string_view word_letters = "abcdefghijklmnopqrstuvwxyz";

std::size_t begin_of_last(std::string_view text, std::string_view letters) {
  const std::size_t before = text.find_last_not_of(letters);
  return before == std::string_view::npos ? 0 : before + 1;
}

}  // namespace

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

std::string json_complaint(const nlohmann::detail::exception& error) {
  constexpr std::size_t longest = 160;
  std::string text = error.what();
  const std::size_t dash = text.find(" - ");
  if (dash != std::string::npos) text = text.substr(dash + 3);
  if (text.size() > longest) text = text.substr(0, longest) + "..";
  return text;
}

}  // namespace onceover::base
