#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/pictures.h"
#include "cli/plots.h"
#include "subjects/input_kind.h"

namespace onceover::cli {

namespace {

constexpr std::uint64_t default_budget = 100'000'000'000;
constexpr std::uint64_t default_link_budget = 10'000'000'000;
constexpr std::uint64_t default_search_budget = 1'000'000'000;

/// Adds --budget; `words` is the default budget in words.
void add_budget(const CommandApp& app, std::uint64_t& budget, std::uint64_t usual, const std::string& words,
                const std::string& about) {
  app.add_option("--budget N", budget, about)->default_val(usual)->default_str(words)->check(whole_number);
}

std::string time_limit(const std::string& text) {
  const auto limit = parse_time_limit(text);
  return limit ? "" : limit.error();
}

std::string memory_limit(const std::string& text) {
  const auto limit = parse_memory_limit(text);
  return limit ? "" : limit.error();
}

}  // namespace

std::string not_empty(const std::string& text) {
  return text.empty() ? "expected a value" : "";
}

std::string file_name(const std::string& text) {
  return text.empty() ? "expected a file name" : "";
}

CLI::Option* CommandApp::add_file(const std::string& flags, std::string& field, const std::string& about) const {
  return app_.add_option(flags, field, about)->type_name("FILE")->check(file_name);
}

CLI::Option* CommandApp::with_value(CLI::Option* option, const std::string& name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? option : option->type_name(name.substr(blank + 1));
}

Result<void> CommandApp::check() const {
  for (const CLI::Option* option : app_.parse_order())
    if (const auto mistake = mistakes_->find(option->get_name()); mistake != mistakes_->end())
      return tl::unexpected(mistake->second);
  return {};
}

std::function<void(const std::string&)> CommandApp::noting(const std::string& flags, Take take) const {
  return [take = std::move(take), mistakes = mistakes_, flags](const std::string& text) {
    if (const auto taken = take(text); !taken) mistakes->emplace(flags, taken.error());
  };
}

CLI::Option* CommandApp::add(const std::string& name, Take take, const std::string& about) const {
  const std::string flags = flags_in(name);
  return with_value(app_.add_option_function<std::string>(flags, noting(flags, std::move(take)), about), name);
}

CLI::Option* CommandApp::add_flag(const std::string& name, Take take, const std::string& about) const {
  return app_.add_flag_callback(
      name, [note = noting(name, std::move(take))] { note(""); }, about);
}

CLI::Option* CommandApp::add_repeated(const std::string& name, Take take, const std::string& about) const {
  const std::string flags = flags_in(name);
  auto each = [note = noting(flags, std::move(take))](const std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), note);
  };
  return with_value(app_.add_option_function<std::vector<std::string>>(flags, each, about), name)
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

std::string whole_number(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : fmt::format("expected a whole number, found '{}'", text);
}

void add_tori(const CommandApp& app, std::vector<Shape>& tori, const std::string& about) {
  app.add_repeated(
      "--torus AxB..", [&tori](const std::string& text) { return parse_tori(text, tori); }, about);
}

void add_subject(const CommandApp& app, SubjectOptions& subject, std::string_view files, Takes takes,
                 Contenders* contenders, std::vector<std::string>* several) {
  app.group(subject_group);
  if (several != nullptr)
    app->add_option("FILE", *several, std::string(files))->check(file_name);
  else
    app->add_option("FILE", subject.file, std::string(files))->check(file_name);
  for (const Option<SubjectOptions>& row : subject_options(takes))
    if (row.name == "algo" && contenders != nullptr)
      app.add_parsed(
          "--algo NAME", *contenders, parse_contenders,
          "Algorithms of the catalogue to compare: a,b,c; of versions joined by +, as in a+b, the faster counts");
    else
      app.add(row, subject);
  CLI::Option* exec = app->get_option("--exec")->check(not_empty);
  app->get_option("--exec-time-limit")->needs(exec);
}

void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& heading) {
  app.group(heading);
  for (const Option<NetworkOptions>& row : network_options())
    if ((row.fits & for_deficiencies) != 0) app.add(row, network);
}

void add_network(const CommandApp& app, NetworkOptions& network, const std::string& heading) {
  app.group(heading);
  app.add_all(network_options(), network);
}

void add_json(const CommandApp& app, JsonOutput& json) {
  app->add_flag("--json", json.is_printed, "Print the result as JSON");
  app.add_file("--json-out", json.file, "Also write the result as JSON to this file");
}

void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what) {
  app.add_option("--plot FILE", plot.picture, fmt::format("Plot {}: {}", what, plot_suffixes()));
  app.add_option("--gnuplot FILE", plot.script, "Write the plot's script and data for Gnuplot to this file");
  app.add_parsed("--width W", plot.width, parse_width, "Width of the plot: 3.3in, 84mm (default: 3.3in)");
  app.add_option("--font NAME", plot.font, "Family of the plot's letters (default: Times)");
  app.add_parsed("--plot-scale SCALE", plot.scale, parse_plot_scale,
                 "Plot values on a linear axis, in percent of the best possible, or on a logarithmic axis: linear, "
                 "percent or log (default: linear)");
}

void add_required(const CommandApp& app, std::vector<std::string>& required, std::vector<std::string>& waived) {
  app.add_list("--require LIST", required, parse_required,
               "Require properties besides the usual ones, one or several: a,b; 'verify explain ID' explains one");
  app.add_list("--waive LIST", waived, parse_waived, "Don't require these properties, which are by default");
}

void add_bounds(const CommandApp& app, Bounds& bounds) {
  for (const Property& p : properties())
    if (p.bound)
      app->add_option(bound_flag(p), bounds.*p.bound->number, std::string(p.bound->help))
          ->type_name("K")
          ->check(whole_number);
}

void add_colors(const CommandApp& app, Colors& colors) {
  app.add_parsed("--color WHEN", colors, parse_colors,
                 "Colour verdicts: auto, always or never (default: auto, on a terminal unless NO_COLOR is set)");
}

void add_resource_limits(const CommandApp& app, ResourceLimits& limits) {
  app.add_option("--time-limit TIME", limits.time, "Stop after this time: 500ms, 60s, 5m, 2h (default: none)")
      ->check(time_limit);
  app.add_option("--memory-limit SIZE", limits.memory, "Use no more memory than this: 512MiB, 1GiB (default: no limit)")
      ->check(memory_limit);
}

void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about) {
  add_budget(app, budget, default_budget, "10^11", about);
}

void add_link_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_link_budget, "10^10",
             "Give up after this many links that messages cross or that are searched for their ways");
}

void add_flow_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_link_budget, "10^10",
             "Give up after this many links, counted once for each maximum flow");
}

void add_search_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_search_budget, "10^9",
             "Give a question up after this many units of Z3's work, or with --group after this many beginnings of "
             "schedules");
}

std::string hint_at_peer_steps(const std::string& text) {
  const bool is_formula = text.find_first_of("p(+-*/") != std::string::npos;
  return is_formula ? std::string(see_peer_steps) : "";
}

std::string schedule_or_program() {
  return "A schedule file (JSON), or a program: " + program_kind_names("or");
}

void add_beside(const CommandApp& app, std::string& beside, const std::string& about) {
  app.add_option("--beside NAME|FILE", beside, about)->check(not_empty);
}

Result<int> parse_count(std::string_view flag, const std::string& text, int most) {
  if (const auto count = parse_whole<int>(text, 1, most)) return *count;
  return usage_error(fmt::format("{}: expected a number from 1 to {}, found '{}'", flag, most, text));
}

}  // namespace onceover::cli
