// Fonts: which families a picture can be written in, and which files stand for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "base/interrupts.h"

namespace onceover::viz {

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

}  // namespace onceover::viz
