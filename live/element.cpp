#include "live/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace onceover::live {

namespace {

constexpr std::uint32_t first_magic = 0x7E3A51C9;

/// The filler in word k of an element, behind the end of its term: never zero.
std::uint16_t filler(std::uint32_t position, std::size_t k) {
  const std::uint32_t mixed = position * 0x9E3779B1u + static_cast<std::uint32_t>(k) * 0x85EBCA6Bu;
  return static_cast<std::uint16_t>(mixed >> 16 | 1);
}

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

ElementFormat::ElementFormat(Rank ranks)
    : ranks_(ranks), most_words_(4 * static_cast<std::size_t>(ranks)), size_(sizeof(Head) + 2 * most_words_) {
  assert(ranks >= 1 && ranks <= most_ranks);
}

void ElementFormat::clear(std::byte* element) const {
  std::fill_n(element, size_, std::byte{0});
}

void ElementFormat::set_leaf(std::byte* element, Rank rank, std::uint32_t position) const {
  clear(element);
  words(element)[0] = static_cast<std::uint16_t>(rank);
  seal(element, Content::term, position, 1);
}

void ElementFormat::join(const std::byte* left, std::byte* right) const {
  const Content a = content(left), b = content(right);
  auto holds = [](Content c) { return c == Content::term || c == Content::counts; };
  if (!holds(a) || !holds(b))
    return seal(right, a == Content::mismatch || b == Content::mismatch ? Content::mismatch : Content::garbled, 0, 0);
  const std::uint32_t place = position(left);
  if (place != position(right)) return seal(right, Content::mismatch, 0, 0);
  const std::size_t l = head(left).length, r = head(right).length;
  if (a == Content::counts || b == Content::counts || l + r + 1 > most_words_) return add_counts(left, right, place);
  std::uint16_t* to = words(right);
  std::copy_backward(to, to + r, to + 1 + l + r);
  std::copy_n(words(left), l, to + 1);
  to[0] = joined;
  seal(right, Content::term, place, 1 + l + r);
}

void ElementFormat::add_counts(const std::byte* left, std::byte* right, std::uint32_t position) const {
  const std::vector<std::uint32_t> a = counts(left);
  std::vector<std::uint32_t> sum = counts(right);
  for (std::size_t r = 0; r < sum.size(); ++r)
    sum[r] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{sum[r]} + a[r], std::numeric_limits<std::uint32_t>::max()));
  std::memcpy(words(right), sum.data(), sum.size() * sizeof sum[0]);
  seal(right, Content::counts, position, 2 * sum.size());
}

Content ElementFormat::content(const std::byte* element) const {
  const Head h = head(element);
  if (h.magic != magic()) {
    const bool is_clear = std::all_of(element, element + size_, [](std::byte b) { return b == std::byte{0}; });
    return is_clear ? Content::nothing : Content::garbled;
  }
  const bool is_sound = h.length <= most_words_ && h.content <= Content::mismatch &&
                        check_of(h, words(element)) == h.check && is_filled(element, h);
  return is_sound ? h.content : Content::garbled;
}

std::uint32_t ElementFormat::position(const std::byte* element) const {
  return head(element).position;
}

std::span<const std::uint16_t> ElementFormat::term(const std::byte* element) const {
  return {words(element), head(element).length};
}

std::vector<std::uint32_t> ElementFormat::counts(const std::byte* element) const {
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(ranks_), 0);
  if (head(element).content == Content::counts) {
    std::memcpy(counts.data(), words(element), counts.size() * sizeof counts[0]);
    return counts;
  }
  for (const std::uint16_t word : term(element))
    if (word < counts.size()) ++counts[word];
  return counts;
}

ElementFormat::Head ElementFormat::head(const std::byte* element) {
  Head h;
  std::memcpy(&h, element, sizeof h);
  return h;
}

// Buffers are our own or the library's, and both are aligned for any type. So are the sizes of elements.
const std::uint16_t* ElementFormat::words(const std::byte* element) {
  return reinterpret_cast<const std::uint16_t*>(element + sizeof(Head));
}

std::uint16_t* ElementFormat::words(std::byte* element) {
  return reinterpret_cast<std::uint16_t*>(element + sizeof(Head));
}

/// A check sum that distinguishes elements from bytes that only look like one, such as halves of two elements.
std::uint32_t ElementFormat::check_of(const Head& head, const std::uint16_t* words) {
  std::uint32_t check = head.magic;
  auto add = [&](std::uint32_t value) { check = (check ^ value) * 0x01000193u; };
  add(head.position);
  add(static_cast<std::uint32_t>(head.content) << 16 | head.length);
  for (std::size_t k = 0; k < head.length; ++k) add(words[k]);
  return check;
}

std::uint32_t ElementFormat::magic() const {
  return first_magic + call_;
}

bool ElementFormat::is_filled(const std::byte* element, const Head& head) const {
  const std::uint16_t* word = words(element);
  for (std::size_t k = head.length; k < most_words_; ++k)
    if (word[k] != filler(head.position, k)) return false;
  return true;
}

void ElementFormat::seal(std::byte* element, Content content, std::uint32_t position, std::size_t length) const {
  Head h{magic(), position, content, static_cast<std::uint16_t>(length), 0};
  h.check = check_of(h, words(element));
  std::memcpy(element, &h, sizeof h);
  for (std::size_t k = length; k < most_words_; ++k) words(element)[k] = filler(position, k);
}

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
