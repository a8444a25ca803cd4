// An item is split before anything is parsed: at " for ", which no formula has, then at the '@' of an address. What is
// left are formulas, which schedules/formula.h reads.
//
// Example: "sig[k % 2]@(r + 1) + 16 for b in 0..grid" has the loop b, the name sig, and the formulas "k % 2", "r + 1",
// "16", "0" and "grid".

#include "gpu/launch/item_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"

namespace onceover::gpu {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::array<std::string_view, 11> scalar_types{"s8",  "u8",  "s16", "u16", "s32", "i32",
                                                        "u32", "s64", "u64", "f32", "f64"};

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

PlacedText trimmed(PlacedText text) {
  const std::size_t begin = std::min(text.text.find_first_not_of(blanks), text.text.size());
  const std::size_t end = text.text.find_last_not_of(blanks);
  return text.part(begin, end == std::string_view::npos || end < begin ? 0 : end - begin + 1);
}

/// How many letters of a name the text begins with.
std::size_t name_length(std::string_view text) {
  std::size_t k = 0;
  while (k < text.size() && is_name_letter(text[k])) ++k;
  return k;
}

/// The position of the bracket that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    depth += text[k] == opens ? 1 : text[k] == closes ? -1 : 0;
    if (depth == 0) return k;
  }
  return std::string_view::npos;
}

/// A number with a point or an exponent, or a signed zero, which no formula has.
std::optional<double> decimal(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789.e+-") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

PlacedText PlacedText::part(std::size_t begin, std::size_t count) const {
  return {text.substr(begin, count), place(begin), is_exact};
}

ItemReader ItemReader::with(std::span<const Loop> loops) const {
  ItemReader more = *this;
  for (const Loop& loop : loops) more.names_.push_back(loop.name);
  return more;
}

tl::expected<PlacedFormula, SourceError> ItemReader::formula(PlacedText given) const {
  const PlacedText text = trimmed(given);
  if (text.text.empty()) return file_.error(given.offset, "expected a formula, found nothing");
  const std::vector<std::string_view> names(names_.begin(), names_.end());
  auto parsed = Formula::parse("", text.text, names);
  if (!parsed) return file_.error(text.place(parsed.error().column - 1), parsed.error().message);
  return PlacedFormula{*std::move(parsed), &file_, text.offset, names_};
}

tl::expected<std::vector<Loop>, SourceError> ItemReader::loops(PlacedText text) const {
  std::vector<Loop> loops;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t next = std::min(text.text.find(" for ", at + 1), text.text.size());
    const PlacedText loop = trimmed(text.part(at, next - at));
    at = next;
    const std::size_t begin = std::string_view("for ").size();
    const std::size_t length = name_length(loop.text.substr(std::min(begin, loop.text.size())));
    const std::size_t in = begin + length;
    const std::size_t dots = loop.text.find("..");
    if (length == 0 || !loop.text.substr(in).starts_with(" in ") || dots == std::string_view::npos)
      return file_.error(loop.offset, "expected 'for NAME in FIRST..END'");
    std::string name(loop.text.substr(begin, length));
    const ItemReader outer = with(loops);
    if (std::find(outer.names_.begin(), outer.names_.end(), name) != outer.names_.end())
      return file_.error(loop.place(begin), fmt::format("'{}' has a meaning already", name));
    PlacedFormula first = TRY(outer.formula(loop.part(in + 4, dots - in - 4)));
    PlacedFormula end = TRY(outer.formula(loop.part(dots + 2)));
    loops.push_back({std::move(name), std::move(first), std::move(end)});
  }
  return loops;
}

tl::expected<AddressText, SourceError> ItemReader::address(PlacedText text, std::size_t at) const {
  AddressText address{.name = {}, .file = &file_, .offset = text.offset, .turn = {}, .on = {}, .addend = {}};
  const std::size_t length = name_length(text.text);
  address.name = text.text.substr(0, length);
  const std::string_view between = text.text.substr(length, at - length);
  if (length == 0 || (!between.empty() && (between.front() != '[' || between.back() != ']')))
    return file_.error(text.offset, "expected NAME@RANK, or NAME[TURN]@RANK");
  if (!between.empty()) address.turn = TRY(formula(text.part(length + 1, between.size() - 2)));
  const PlacedText after = text.part(at + 1);
  std::size_t end = name_length(after.text);
  if (after.text.starts_with('(')) {
    end = closing(after.text, 0, '(', ')');
    if (end == std::string_view::npos) return file_.error(after.offset, "this parenthesis isn't closed");
    address.on.rank = TRY(formula(after.part(1, end - 1)));
    ++end;
  } else if (end == 0) {
    return file_.error(after.offset, "expected a rank after '@': a name, a number, or a formula in parentheses");
  } else if (after.text.substr(0, end) != "mc") {
    address.on.rank = TRY(formula(after.part(0, end)));
  }
  const PlacedText addend = trimmed(after.part(end));
  if (addend.text.empty()) return address;
  if (!addend.text.starts_with('+'))
    return file_.error(addend.offset,
                       "expected '+' and an offset in bytes; a rank that is a formula stands in parentheses");
  address.addend = TRY(formula(addend.part(1)));
  return address;
}

tl::expected<ScalarText, SourceError> ItemReader::scalar(PlacedText text) const {
  ScalarText scalar{.type = {}, .value = 0.0};
  const std::size_t length = name_length(text.text);
  const std::string_view word = text.text.substr(0, length);
  if (length < text.text.size() && text.text[length] == ' ') scalar.type = element_type(word);
  const PlacedText value = scalar.type ? trimmed(text.part(length)) : text;
  const auto number = scalar.type && is_floating(*scalar.type) ? decimal(value.text) : std::nullopt;
  if (number) {
    scalar.value = *number;
    return scalar;
  }
  auto whole = formula(value);
  if (!whole && !scalar.type && std::find(names_.begin(), names_.end(), word) == names_.end())
    if (const auto type = closest(word, scalar_types))
      return file_.error(text.offset, fmt::format("no type or name '{}'; did you mean '{}'?", word, *type));
  scalar.value = TRY(std::move(whole));
  return scalar;
}

tl::expected<Item, SourceError> ItemReader::item(PlacedText given) const {
  const PlacedText text = trimmed(given);
  if (text.text.empty()) return file_.error(given.offset, "expected an address or a number, found nothing");
  const std::size_t split = std::min(text.text.find(" for "), text.text.size());
  Item item{.value = ScalarText{.type = {}, .value = 0.0}, .loops = {}, .file = &file_, .offset = text.offset};
  item.loops = TRY(loops(text.part(split)));
  const ItemReader inner = with(item.loops);
  const PlacedText value = trimmed(text.part(0, split));
  const std::size_t at = value.text.find('@');
  if (at == std::string_view::npos)
    item.value = TRY(inner.scalar(value));
  else
    item.value = TRY(inner.address(value, at));
  return item;
}

}  // namespace onceover::gpu
