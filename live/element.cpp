#include "live/element.h"

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

}  // namespace onceover::live
