// The options of `verify gpu`.
#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/shared_options.h"

namespace onceover::cli {

namespace {

/// The least and most of a number, for CLI11.
CLI::Range between(std::uint64_t least, std::uint64_t most) {
  return {least, most};
}

Result<std::string> parse_property_id(const std::string& text) {
  if (!text.empty()) return text;
  return usage_error("--require, --waive: expected a property");
}

}  // namespace

void describe(const CommandApp& app, GpuCommand& command) {
  app.group(subject_group);
  app.add_option("FILE", command.file, "A launch description (TOML); with --launch or --describe PTX, or CUDA")
      ->required()
      ->check(not_empty);
  app.add_file("--launch", command.launch, "The launch description by which the PTX or CUDA in FILE runs");
  app->add_flag("--describe", command.describe, "Draft a launch description of the PTX or CUDA in FILE, judge nothing");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks, instead of the description's: 2..8");
  app.add_option("--n N", command.sizes, "Sizes n, instead of the description's; may be repeated")
      ->check(between(1, 1'000'000'000));
  app.group("Interleavings");
  app.add_option("--seeds N", command.seeds,
                 "Random interleavings (default: the description's, which is 8 unless it says)")
      ->check(between(0, 1'000'000));
  app.add_option("--seed S", command.seed, "The first of their seeds (default: 1)");
  app.add_option("--starve N", command.most_starved,
                 "Starve at most so many warps, and so many blocks, each in an interleaving of its own (default: 64)")
      ->check(between(0, 1'000'000));
  CLI::Option* newest_values =
      app->add_flag("--newest-values", command.newest_values,
                    "Reads return the newest values only, and vectors as a whole, also in random interleavings");
  CLI::Option* exhaustive =
      app->add_flag("--exhaustive", command.exhaustive,
                    "Then all interleavings of strong accesses, with all older values: for two ranks and few threads")
          ->excludes(newest_values);
  app->add_flag("--strict", command.strict, "Without the grants of the description: PTX as it is written");
  app.group(property_group);
  app.add_list("--require LIST", command.required, parse_property_id,
               "Require properties besides the usual ones: order-preserving");
  app.add_list("--waive LIST", command.waived, parse_property_id,
               "Don't require these properties, which are by default: bitwise-reproducible, ..");
  app.group(output_group);
  app->add_flag("--full", command.full, "Print every property");
  add_json(app, command.json);
  app.add_file("--draw-counterexample", command.counterexample_out,
               fmt::format("Draw the first launch that fails into this file: {}", picture_suffixes()));
  app.group(limits_group);
  app.add_option("--instructions N", command.most_instructions,
                 "Give up on an interleaving after this many instructions (default: 1000000000)")
      ->check(between(1, 1'000'000'000'000));
  app.add_option("--runs N", command.most_runs,
                 "Give up on all interleavings after this many runs (default: 10000); with --exhaustive")
      ->needs(exhaustive)
      ->check(between(1, 1'000'000'000'000));
}

}  // namespace onceover::cli
