// Tables of text, in columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"

namespace onceover::base {

/// The rows, the first one being the heading; numbers to the right, words to the left, two blanks in between. Rows may
/// be shorter than the heading. Each line begins with `indent`.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

/// The same as CSV (RFC 4180).
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

/// Refuses --csv-out - together with JSON on standard output, and a file that can't be written.
Result<void> check_csv(const std::string& path, bool json);

/// Prints the text, and writes the CSV to `path`, if there is one. Without the text where standard output has another
/// use: the CSV, for "-", or `is_taken`.
Result<void> give(const std::string& text, const std::string& csv, const std::string& path, bool is_taken);

/// "1.2 us", "33.6 ms": a time in ns, in three digits.
std::string time_text(double ns);

/// "32 B", "2 MiB".
std::string bytes_text(double bytes);

/// A number in up to four digits, without an exponent or trailing zeros.
std::string number_text(double x);

}  // namespace onceover::base
