// Pictures: their formats and measures as users write them, and what becomes of one that can't be drawn.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "gpu/description_judge.h"
#include "subjects/run.h"
#include "verifier/blocking.h"
#include "viz/drawn.h"

namespace onceover::cli {

/// Usage (2) if the user can do something about it, unknown (4) if it took too long, else internal (5).
tl::unexpected<Failure> drawing_failure(const DrawError& error);

template <class T>
Result<T> passed_on(Drawn<T> drawn) {
  if (!drawn) return drawing_failure(drawn.error());
  return *std::move(drawn);
}

/// What names of pictures and of plots may end with: ".svg, .pdf, .eps, .png, .tikz, .tex or .dot".
std::string picture_suffixes();
std::string plot_suffixes();

/// The format that a picture's file name asks for: svg, pdf, ..; dot for standard output.
Result<std::string> picture_format(const std::string& path);

/// The format of that name; an error begins with `what` asked for it.
Result<std::string> known_format(std::string_view what, const std::string& format);

/// Parse lengths in inches, and points.
Result<double> parse_width(const std::string& text);
Result<double> parse_height(const std::string& text);
Result<double> parse_font_size(const std::string& text);

/// Draws the counterexample of a failed run into a file, in the format that the file's name ends with.
Result<void> draw_counterexample(const Schedule& schedule, const Verification& run, const std::string& path);

/// Draws the deadlock of a schedule that is run with blocking calls in this order.
Result<void> draw_deadlock(const Schedule& schedule, CallOrder order, const std::string& path);

/// Draws what goes wrong in the first launch that fails.
Result<void> draw_counterexample(const gpu::JudgedDescription& launches, const std::string& path);

}  // namespace onceover::cli
