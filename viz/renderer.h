// Renderer: programs that make pictures, text in and bytes out, such as librsvg and Graphviz; and the fonts that they
// use.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupts.h"
#include "base/result.h"
#include "viz/drawn.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

/// A program on the search path.
struct Renderer {
  std::string_view program;                   // "dot"
  std::string_view name;                      // "Graphviz", for people
  std::string_view package;                   // of Debian
  std::array<std::string_view, 3> elsewhere;  // of RHEL, SUSE and conda-forge; empty: not known there
  std::string_view otherwise;                 // what can be done without it
  std::string_view too_slow;                  // what would be faster
};

/// The commands that install it, one for each kind of system, each on a line of its own.
std::string ways_to_install(const Renderer& renderer);

/// The output of the program for `input`. It runs without a shell, for at most `seconds`. The same input gives the same
/// bytes: the date in a PDF or EPS is overwritten, and letters don't depend on the machine's settings (FontSettings).
Drawn<std::string> run(const Renderer& renderer, std::vector<std::string> arguments, const std::string& input,
                       int seconds);

/// Passes a family that fontconfig has, or has a substitute for, as for Times and Helvetica; words of style may follow,
/// like "Liberation Serif Bold" or "Times-Bold". The error names those that there are. Asks the programs fc-list and
/// fc-match; without them every name passes.
Result<void> check_font(std::string_view flag, const std::string& name);

/// Fontconfig's settings for programs that render: those of the machine, but the letters of Times, Helvetica and
/// Courier are Liberation's wherever those are installed. Otherwise the same picture would differ where TeX or
/// Ghostscript brought fonts of their own. They are in a temporary file, which goes with this object.
class FontSettings {
 public:
  FontSettings();
  ~FontSettings();
  FontSettings(const FontSettings&) = delete;
  FontSettings& operator=(const FontSettings&) = delete;

  /// "FONTCONFIG_FILE=..", or nothing if the file can't be written: then the settings are the machine's.
  std::vector<std::string> environment() const;

 private:
  std::string path_;
  std::optional<base::RemovedOnInterrupt> removed_;
  bool is_written_ = false;
};

/// Places the nodes of graphs (ink/graph.h).
extern const Renderer graphviz;

/// The formats that `render` makes, by their file extensions.
inline constexpr std::array<std::string_view, 7> picture_formats{"svg", "pdf", "eps", "png", "tikz", "tex", "dot"};

/// The bytes of the picture, which is placed if need be. SVG, DOT, a picture for LaTeX (`tikz`) and a document of it
/// (`tex`) are written here. For PDF, EPS and PNG librsvg renders the SVG; it has at most `seconds`. The same picture
/// and librsvg give the same bytes.
Drawn<std::string> render(const Picture& picture, std::string_view format, int seconds = 60);

}  // namespace onceover::viz
