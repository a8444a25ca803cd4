// The files of report/, embedded in the program.
#pragma once

#include <string_view>

#include "base/namespaces.h"

namespace onceover::viz::report_files {

extern const std::string_view page;           // page.html
extern const std::string_view player;         // player.html
extern const std::string_view style;          // page.css
extern const std::string_view script;         // page.js
extern const std::string_view script_sha256;  // of the script, in hexadecimal

}  // namespace onceover::viz::report_files
