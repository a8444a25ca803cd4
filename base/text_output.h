// Text written to a file in large pieces.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <utility>

#include "base/namespaces.h"
#include "base/stop.h"

namespace onceover::base {

/// Collects text and writes it in pieces of about 64 KiB, each of them a point where all work can stop. After a failure
/// it drops the rest; errno says why.
class TextOutput {
 public:
  explicit TextOutput(std::FILE* file) : file_(file) {}

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    if (text_.size() <= most_held) return;
    stop_point();
    flush();
  }

  /// Writes the rest. False if any write failed.
  [[nodiscard]] bool finish() {
    flush();
    return ok_;
  }

 private:
  static constexpr std::size_t most_held = 1 << 16;

  void flush() {
    ok_ = ok_ && std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
    text_.clear();
  }

  std::FILE* file_;
  fmt::memory_buffer text_;
  bool ok_ = true;
};

}  // namespace onceover::base
