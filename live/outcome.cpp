#include "live/outcome.h"

#include <fmt/format.h>

namespace onceover::live {

namespace {

/// The term of words in prefix order. Read backwards, operands come before their join.
Term term_of(TermTable& terms, std::span<const std::uint16_t> words) {
  std::vector<Term> stack;
  for (std::size_t k = words.size(); k-- > 0;) {
    if (words[k] != ElementFormat::joined) {
      if (words[k] >= terms.ranks()) return Term::nothing;
      stack.push_back(terms.leaf(words[k]));
      continue;
    }
    if (stack.size() < 2) return Term::nothing;
    const Term left = stack.back();
    stack.pop_back();
    stack.back() = terms.sum(left, stack.back());
  }
  return stack.size() == 1 ? stack.back() : Term::nothing;
}

std::string term_text(std::span<const std::uint16_t> words) {
  std::vector<std::string> stack;
  for (std::size_t k = words.size(); k-- > 0;) {
    if (words[k] != ElementFormat::joined) {
      stack.push_back(std::to_string(words[k]));
      continue;
    }
    const std::string left = std::move(stack.back());
    stack.pop_back();
    stack.back() = "(" + left + "+" + stack.back() + ")";
  }
  return stack.back();
}

std::string counts_text(const std::vector<std::uint32_t>& counts) {
  std::string text;
  for (std::size_t r = 0; r < counts.size(); ++r)
    if (counts[r] > 0) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", counts[r], r);
  return "too large to show: " + text;
}

}  // namespace

std::size_t Values::add(const ElementFormat& format, const std::byte* element) {
  const Content content = format.content(element);
  if (content != Content::term && content != Content::counts) return add(content, {}, {});
  const auto words = format.term(element);
  return add(content, {words.begin(), words.end()}, format.counts(element));
}

std::size_t Values::add(Content content, std::vector<std::uint16_t> words, std::vector<std::uint32_t> counts) {
  Value value{.content = content, .words = std::move(words), .counts = std::move(counts)};
  const auto [at, is_new] = numbers_.try_emplace({value.content, value.words}, values_.size());
  if (!is_new) return at->second;
  if (value.content == Content::term) value.term = term_of(terms_, value.words);
  if (value.content == Content::term && value.term == Term::nothing) value.content = Content::garbled;
  values_.push_back(std::move(value));
  return at->second;
}

std::string Values::text(std::size_t number) const {
  const Value& value = values_[number];
  switch (value.content) {
    case Content::nothing: return "nothing";
    case Content::term: return term_text(value.words);
    case Content::counts: return counts_text(value.counts);
    case Content::garbled: return "garbled";
    case Content::mismatch: return "a sum of different elements";
    case Content::unjudged: return "what the simulator lost";
    case Content::unwritten: return "garbled (memory that nobody wrote)";
    case Content::stale: return "garbled (an element of an earlier call)";
    case Content::split: return "garbled (parts of two elements)";
    case Content::cleared: return "garbled (zeros)";
  }
  return "";
}

}  // namespace onceover::live
