// Tables as text and as CSV, and numbers in their cells.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace onceover::base {

/// The rows as text; the first row is the heading. Numbers are aligned right, words left, with two blanks between
/// columns. Rows may be shorter than the heading. Each line begins with `indent`.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

/// The same as CSV (RFC 4180).
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

/// Refuses `--csv-out -` together with JSON on standard output, and a file that can't be written.
Result<void> check_csv(const std::string& path, bool json);

/// Prints the text, and writes the CSV to `path` unless that is empty. The text is left out if standard output is used
/// for the CSV ("-") or for something else (`is_taken`).
Result<void> give(const std::string& text, const std::string& csv, const std::string& path, bool is_taken);

/// "1.2 us", "33.6 ms": a time given in ns, in about three digits.
std::string time_text(double ns);

/// "32 B", "2 MiB": a size given in bytes.
std::string bytes_text(double bytes);

/// A number without trailing zeros: all its whole digits, and decimals up to four digits in all. From 1e15 up and below
/// 1e-4 it has an exponent; "-" if it isn't finite.
std::string number_text(double x);

}  // namespace onceover::base
