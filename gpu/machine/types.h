// Types of PTX by their names.
#pragma once

#include <optional>
#include <string_view>

#include "gpu/machine/code.h"

namespace onceover::gpu {

/// "u32", "bf16x2", "pred"; nothing for another word.
std::optional<PtxType> ptx_type(std::string_view word);

/// The modifiers of an instruction. What a decoder doesn't take makes the instruction unsupported.
class Modifiers {
 public:
  explicit Modifiers(const std::vector<std::string>& words) : words_(words.begin() + 1, words.end()) {}

  /// Takes the word, if it is there.
  bool take(std::string_view word);
  /// Takes the first type.
  std::optional<PtxType> take_type();
  /// Takes words that only advise caches.
  void take_hints();
  bool empty() const { return words_.empty(); }
  const std::vector<std::string>& words() const { return words_; }

  /// Takes the first word that a table of pairs has, and gives what is beside it.
  template <class Table>
  auto take_from(const Table& table) -> std::optional<std::decay_t<decltype(table.begin()->second)>> {
    for (std::size_t at = 0; at < words_.size(); ++at)
      for (const auto& [word, meaning] : table)
        if (words_[at] == word) {
          words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at));
          return meaning;
        }
    return std::nullopt;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace onceover::gpu
