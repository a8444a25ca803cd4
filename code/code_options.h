// The options of `verify code` that say how code is run and called, for all that judge code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "code/digits.h"
#include "code/executable.h"
#include "code/trials.h"
#include "live/options.h"

namespace onceover::code {

/// What options say of code, and of how it is run and called.
struct CodeOptions {
  Sources sources = {};  // all but its elements
  bool has_numbers = false;
  Asked asked = {};
  live::CallWords calls = {};

  /// The sources, with elements in the place of numbers if an option asks for that.
  Sources with_elements() const;
};

/// The options of how code is built, of calls besides live/options.h, and of machines.
const std::vector<Option<CodeOptions>>& build_options();
const std::vector<Option<CodeOptions>>& trial_options();
const std::vector<Option<CodeOptions>>& machine_options();

/// The option of that name among these and those of calls, or "link", for files besides the source; null if there is
/// none.
const Option<CodeOptions>* find_code_option(std::string_view name);

/// The collective of that name, as `--collective` takes it.
Result<const live::LiveCollective*> parse_live_collective(const std::string& name);

/// How often calls are made with ranks that begin at other times: 0 to 1000.
Result<int> parse_orders(const std::string& text);

/// A list of world, copy and backwards, each once: the communicators that calls are made on.
Result<std::vector<Communicator>> parse_communicators(const std::string& text);

bool is_name_in_c(std::string_view text);

/// An error unless the text is a name in C.
Result<void> check_function(const std::string& name);

/// Digits show MPI_SUM, which commutes: an error if an operator of these calls doesn't.
Result<void> check_digits(const live::Options& options);

/// Are all calls made with 0 elements? Then there is no result to judge.
bool are_empty(const live::Options& options);

/// The calls that `words`, options of the command line, ask for. Where they don't say which roots: each up to 8 ranks
/// and three beyond, or rank 0 alone if `is_quick`.
Result<live::Options> call_options(std::vector<std::string> words, Rank ranks, bool is_quick);

}  // namespace onceover::code
