// `verify draw`: from the words of the command line to a picture in a file.
//
// Texts become values here: lists of ranks, steps and blocks, lengths with a unit, formats by the end of a file's name.
// A view then makes a picture of the schedule (viz/view.h), which is written in a format, and only a complete picture
// is written. Schedules have views; programs have one of their own, and share those of steps and time.
//
// Example: --ranks 0..2,5 are the ranks 0, 1, 2 and 5; --width 84mm is 3.31 inches; -o x.pdf asks for PDF.
//
// Ranges have at most 4096 numbers, views limit the size of pictures, and programs such as Graphviz have a minute. A
// request that can't be drawn, or a missing program, is a usage error. If one takes too long, the exit code is
// `unknown`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/program_messages.h"
#include "cli/second_subject.h"
#include "cli/verify_command.h"
#include "subjects/network_plan.h"
#include "subjects/options.h"
#include "viz/film.h"
#include "viz/ink/writers.h"
#include "viz/legible.h"
#include "viz/program_view.h"
#include "viz/renderer.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

struct DrawCommand {
  SubjectOptions subject;
  NetworkOptions network = {};                    // for views that show a network
  std::string view = "steps";                     // of schedules or of programs, whichever the subject is
  std::optional<std::uint32_t> fifo = {};         // programs: how many messages a connection holds
  std::optional<std::vector<double>> bytes = {};  // of the vector: draw times
  std::optional<Mode> mode = {};                  // how they are computed
  std::optional<std::string> format = {};         // not given: by the name of the output
  std::string output = {};                        // empty or "-": standard output
  std::vector<int> ranks = {};                    // show only what these send
  std::optional<std::pair<int, int>> steps = {};  // show only these
  std::vector<int> blocks = {0};
  std::optional<double> width = {};   // inches
  std::optional<double> height = {};  // inches
  std::string font = {};
  std::optional<double> font_size = {};  // points
  std::optional<int> dpi = {};
  std::optional<int> columns = {};  // of steps, at most
  bool no_title = false;
  bool no_key = false;
  bool no_note = false;
  bool caption = false;  // print the note instead
  bool counts = false;
  bool transpose = false;  // rows become columns
  bool no_wrap = false;
  bool fold = false;
  bool no_fold = false;
  bool animate = false;     // a film of the steps; a .gif is one anyway
  std::string beside = {};  // another algorithm or file, drawn to the right
  std::vector<CallOrder> blocking = {};
};

Result<const View*> view_named(const std::string& name) {
  if (const View* view = find_view(name)) return view;
  return no_such("--view: no view", name, mapped(views(), &View::name));
}

constexpr std::string_view gif = "gif";  // of films only

Result<std::string> format_of(const DrawCommand& command) {
  if (command.format) return *command.format;
  return command.output.ends_with(".gif") ? Result<std::string>(gif) : picture_format(command.output);
}

/// Parses a whole number from 0 to a billion.
std::optional<int> whole(std::string_view text) {
  return parse_whole<int>(text, 0, 1'000'000'000);
}

/// Parses "2" or "0..2".
std::optional<std::pair<int, int>> range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = whole(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : whole(text.substr(dots + 2));
  if (!first || !last || *first > *last) return std::nullopt;
  return std::pair(*first, *last);
}

constexpr int most_numbers = 4096;

/// Parses "0,5", "0..3,8" or "0..12:4": ascending, each number once; `what` names the numbers in the message.
Result<std::vector<int>> numbers(std::string_view flag, std::string_view what, const std::string& text) {
  std::vector<int> list;
  if (text.empty()) return list;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t colon = item.find(':');
    const bool has_stride = colon != std::string_view::npos;
    const auto part = range(item.substr(0, colon));
    const auto stride = has_stride ? whole(item.substr(colon + 1)) : std::optional(1);
    const bool is_range = item.find("..") != std::string_view::npos;
    if (!part || !stride || *stride < 1 || (has_stride && !is_range) ||
        (part->second - part->first) / *stride >= most_numbers)
      return usage_error(fmt::format("{}: expected {} like 0,5, 0..3 or 0..12:4, found '{}'", flag, what, text));
    for (std::int64_t number = part->first; number <= part->second; number += *stride)
      list.push_back(static_cast<int>(number));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

Result<Style> style_of(const DrawCommand& command) {
  Style style;
  if (!command.font.empty()) {
    TRY(check_font("--font", command.font));
    style.font = command.font;
  }
  style.width = command.width.value_or(style.width);
  style.height = command.height.value_or(style.height);
  style.font_size = command.font_size.value_or(style.font_size);
  style.dpi = command.dpi.value_or(style.dpi);
  if (command.no_title) style.without.push_back(Role::title);
  if (command.no_key) style.without.push_back(Role::key);
  if (command.no_note || command.caption) style.without.push_back(Role::note);
  return style;
}

Result<DrawOptions> options_of(const DrawCommand& command) {
  const auto style = TRY(style_of(command));
  DrawOptions options;
  options.ranks = command.ranks;
  options.steps = command.steps;
  options.blocks = command.blocks;
  options.counts = command.counts;
  options.transposes = command.transpose;
  options.columns = command.columns;
  options.wraps = !command.no_wrap;
  options.calls = command.blocking;
  options.fold = command.fold ? Fold::always : command.no_fold ? Fold::never : Fold::where_needed;
  options.style = style;
  return options;
}

/// The size for which times are drawn, if they are.
Result<std::optional<double>> bytes_of(const DrawCommand& command) {
  if (command.view != time_view.name && (command.bytes || command.mode))
    return usage_error("--bytes and --mode are for --view time");
  if (!command.bytes && command.mode) return usage_error("--mode: say --bytes, the size of the vector, too");
  if (!command.bytes) return std::nullopt;
  if (command.bytes->size() != 1) return usage_error("--bytes: draw shows one size");
  return command.bytes->front();
}

/// Adds the network, and the clock if the bytes of all blocks are known.
Result<void> add_network(const DrawCommand& command, const Header& header, std::optional<double> bytes,
                         DrawOptions& options) {
  const auto plan = plan_of(command.network);
  auto network = TRY(make_network(command.network, plan, header));
  options.network = std::make_shared<const Network>(std::move(network));
  options.routing = plan.routing;
  if (bytes)
    options.clock = {
        .bytes = *bytes, .waits = command.mode.value_or(Mode::synchronous) == Mode::synchronous, .ranks = plan.ranks};
  return {};
}

Result<ExitCode> give_picture(const Drawing& drawing, const DrawOptions& options, const DrawCommand& command) {
  const auto format = TRY(format_of(command));
  const std::string output = command.output.empty() ? "-" : command.output;
  if (command.caption && output == "-")
    return usage_error("--caption is printed, so the picture needs a file: -o picture.tikz");
  const auto picture = TRY(passed_on(legible(drawing, options, format != "dot")));
  TRY(write_text(output, TRY(passed_on(render(picture, format)))));
  if (command.caption) TRY(write_text("-", tex_escaped(picture.note()) + "\n"));
  return ExitCode::ok;
}

/// Does the command ask for a film? Refuses one that can't be made.
Result<bool> wants_film(const DrawCommand& command) {
  const std::string format = TRY(format_of(command));
  if (!command.animate && format != gif) return false;
  const std::string_view asks = command.animate ? "--animate" : "gif";
  if (command.view != steps_view.name)
    return usage_error(fmt::format("{}: a film is of --view steps, not of {}", asks, command.view));
  if (!has(film_formats, format)) return usage_error(fmt::format("--animate: a film is .svg or .gif, not .{}", format));
  return true;
}

Result<ExitCode> give_film(const Schedule& schedule, const DrawOptions& options, const DrawCommand& command) {
  const auto format = TRY(format_of(command));
  const auto moving = TRY(passed_on(film(schedule, options, format)));
  TRY(write_text(command.output.empty() ? "-" : command.output, moving));
  return ExitCode::ok;
}

bool heeds(const View& view, std::string_view option) {
  return view.heeds.find(option) != std::string_view::npos;
}

/// The views that use an option: "steps and time".
std::string views_with(std::string_view option) {
  std::vector<std::string_view> names;
  for (const View* view : view_rows)
    if (heeds(*view, option)) names.push_back(view->name);
  return in_sentence(names, "and");
}

tl::unexpected<Failure> shows_one_subject(const std::string& name) {
  return usage_error(fmt::format("--beside is for --view {}; {} shows one subject", views_with("--beside"), name));
}

/// Refuses options that the view would ignore; it uses those that `heeded` names.
Result<void> refuse_unheeded(const DrawCommand& command, std::string_view heeded) {
  const std::initializer_list<std::pair<std::string_view, bool>> options{
      {"--ranks", !command.ranks.empty()},
      {"--steps", command.steps.has_value()},
      {"--counts", command.counts},
      {"--no-wrap", command.no_wrap},
      {"--fold", command.fold},
      {"--no-fold", command.no_fold},
      {"--transpose", command.transpose},
      {"--columns", command.columns.has_value()},
      {"--blocking", !command.blocking.empty()},
      {"--blocks", command.blocks != DrawCommand().blocks}};
  for (const auto& [option, is_given] : options)
    if (is_given && heeded.find(option) == std::string_view::npos)
      return usage_error(
          fmt::format("{} is for --view {}; {} has no use for it", option, views_with(option), command.view));
  return {};
}

/// Adds the schedule of --beside. `block_bytes` is of the first subject's blocks, 0 if these are parts of a vector.
Result<void> add_schedule_beside(const DrawCommand& command, const Header& header, std::uint64_t block_bytes,
                                 DrawOptions& options) {
  if (command.beside.empty()) return {};
  const View* view = find_view(command.view);
  if (view == nullptr || !heeds(*view, "--beside")) return shows_one_subject(command.view);
  const bool is_over_time = view->name == time_view.name;
  if (is_over_time && !options.clock)
    return usage_error("--beside: with --view time, say --bytes, the size of the vector, too; steps have no lengths");
  Second second = TRY(unjudged_beside(command.beside, header));
  options.beside = std::move(second.schedule);
  if (view->name == steps_view.name) return {};
  if ((second.block_bytes > 0) != (block_bytes > 0))
    return usage_error("--beside: one subject has the sizes of its messages in bytes, the other in parts of a vector");
  if (is_over_time)
    options.clock->bytes_beside = static_cast<double>(second.block_bytes) * options.beside->header().blocks;
  return {};
}

/// A view of a schedule, which must outlive the result.
Drawing drawing_of(const View& view, const Schedule& schedule) {
  return {.draw = [&](const DrawOptions& options) { return draw(view, schedule, options); },
          .heeds = view.heeds,
          .steps = schedule.steps()};
}

/// The command that says in words what a cut shows.
std::string bound_command(const Header& header, const NetworkOptions& network) {
  std::string words = fmt::format("verify bound {} {} --collective {}", header.shape.size() > 1 ? "--torus" : "--p",
                                  fmt::join(header.sides(), "x"), name(header.collective));
  if (is_rooted(header.collective)) words += fmt::format(" --root {}", header.root);
  return words +
         arguments(network_options(), {.topology = network.topology, .map = network.map, .ports = network.ports});
}

/// Refuses options of the network that the view would ignore.
Result<void> refuse_network(const DrawCommand& command) {
  TRY(bytes_of(command));
  if (!is_given(command.network)) return {};
  if (command.view == time_view.name)
    return usage_error("--topology and other options of the network: say --bytes, the size of the vector, too");
  return usage_error(fmt::format(
      "--topology and other options of the network are for --view contention, heat-map and cut; {} shows none",
      command.view));
}

/// Adds the clock by which `cost` times the messages.
Result<void> add_clock_of_program(const DrawCommand& command, const MessageSteps& messages, bool is_of_gpus,
                                  DrawOptions& options) {
  if (command.mode) TRY(check_mode_of_program(*command.mode));
  const Header& header = messages.schedule->header();
  const bool has_bytes = messages.block_bytes > 0;
  if (has_bytes && command.bytes)
    return usage_error("--bytes: a GOAL file says itself how many bytes its messages have");
  auto bytes = has_bytes ? static_cast<double>(messages.block_bytes) * header.blocks : TRY(bytes_of(command));
  if (!bytes) return usage_error("--view time: say --bytes, the size of the vector, too; --view steps needs no size");
  DrawCommand on_network = command;
  on_network.network = network_of(command.network, command.subject, is_of_gpus);
  TRY(add_network(on_network, header, bytes, options));
  options.clock->has_vector = !has_bytes;
  return {};
}

/// The messages of a program, drawn as those of a schedule.
Result<ExitCode> draw_messages(const View& view, const MessageSteps& messages, bool is_of_gpus,
                               const DrawCommand& command) {
  auto options = TRY(options_of(command));
  const Schedule& schedule = *messages.schedule;
  const bool is_film = TRY(wants_film(command));
  TRY(refuse_unheeded(command, view.heeds));
  TRY(view.name == time_view.name ? add_clock_of_program(command, messages, is_of_gpus, options)
                                  : refuse_network(command));
  TRY(add_schedule_beside(command, schedule.header(), messages.block_bytes, options));
  return is_film ? give_film(schedule, options, command) : give_picture(drawing_of(view, schedule), options, command);
}

/// The views of schedules that programs have, too.
const View* find_view_of_messages(std::string_view name) {
  for (const View* view : {&steps_view, &time_view})
    if (view->name == name) return view;
  return nullptr;
}

Result<ExitCode> draw_order(const Judgeable& program, const DrawCommand& command) {
  TRY(refuse_network(command));
  const std::string_view heeded = program.kind().folds ? "--ranks --fold --no-fold" : "--ranks";
  TRY(refuse_unheeded(command, heeded));
  const auto options = TRY(options_of(command));
  TRY(wants_film(command));
  if (!command.beside.empty()) return shows_one_subject(command.view);
  ProgramDrawOptions drawn{.fifo = command.fifo};
  if (command.subject.ranks) drawn.launch_ranks = command.subject.ranks->value;
  const auto pictures = program.order(drawn);
  const auto draw_these = [&](const DrawOptions& shown) {
    drawn.ranks = shown.ranks;
    drawn.fold = shown.fold;
    drawn.style = shown.style;
    return pictures(drawn);
  };
  return give_picture({.draw = draw_these, .heeds = heeded}, options, command);
}

/// Names the view that draws a program whose messages have no steps, such as one that never ends, if nobody has yet.
Failure with_other_view(const Judgeable& program, Failure failure) {
  if (failure.message.find(happens_before_name) != std::string::npos) return failure;
  const auto order = program.order({})({});
  if (order || order.error().kind == DrawError::Kind::too_large)
    failure.message += fmt::format("; --view {} draws what it does", happens_before_name);
  return failure;
}

Result<ExitCode> draw_program(const Judgeable& program, const DrawCommand& command) {
  const InputKind& kind = program.kind();
  if (const std::string why = program.why_not_drawn(); !why.empty())
    return usage_error(fmt::format("{}: {}", program.file(), why));
  if (command.fifo && !kind.takes.fifo) return usage_error(fmt::format("--fifo: {} has no FIFOs", kind.what));
  if (const View* view = find_view_of_messages(command.view)) {
    auto messages = messages_of(program, command.subject.tori);
    if (!messages) return tl::unexpected(with_other_view(program, messages.error()));
    return draw_messages(*view, *messages, kind.describes_gpus, command);
  }
  if (command.view == happens_before_name) return draw_order(program, command);
  return usage_error(fmt::format("--view: {} is of schedules; a program has {}, {} and {}", command.view,
                                 happens_before_name, steps_view.name, time_view.name));
}

Result<ExitCode> draw_schedule(const std::vector<Subject>& subjects, const DrawCommand& command) {
  if (command.view == happens_before_name)
    return usage_error(
        fmt::format("--view {} is of programs: an {} file", happens_before_name, program_kind_names("or")));
  const auto view = TRY(view_named(command.view));
  TRY(refuse_unheeded(command, view->heeds));
  auto options = TRY(options_of(command));
  const bool is_film = TRY(wants_film(command));
  const auto subject = TRY(single(subjects, "draw shows"));
  const auto made = TRY(subject.make());
  const SchedulePtr& schedule = made.schedule;
  const auto bytes = TRY(bytes_of(command));
  const bool may_show_network = heeds(*view, "--topology");
  const bool shows_network = may_show_network && (view->name != time_view.name || bytes);
  if (!shows_network) TRY(refuse_network(command));
  TRY(shows_network ? add_network(command, schedule->header(), bytes, options) : Result<void>());
  TRY(add_schedule_beside(command, schedule->header(), 0, options));
  if (is_film) return give_film(*schedule, options, command);
  Drawing drawing = drawing_of(*view, *schedule), over_time = drawing_of(time_view, *schedule);
  over_time.words = "--view time";
  const bool has_rows = view->name == steps_view.name || view->name == vectors_view.name;
  if (has_rows && !options.beside) drawing.otherwise = &over_time;
  if (view->name == cut_view.name) drawing.in_words = bound_command(schedule->header(), command.network);
  return give_picture(drawing, options, command);
}

/// Writes the picture, which is as wide as a page if it doesn't fit into a column.
Result<void> write_counterexample(const Drawing& drawing, DrawOptions options, const std::string& format,
                                  const std::string& path) {
  auto picture = render_legibly(drawing, options, format);
  if (!picture && picture.error().kind == DrawError::Kind::too_large) {
    options.style.width = 7;
    picture = render_legibly(drawing, options, format);
  }
  return write_text(path, TRY(passed_on(std::move(picture))));
}

Result<std::uint32_t> parse_drawn_fifo(const std::string& text) {
  if (const auto depth = whole(text)) return static_cast<std::uint32_t>(*depth);
  return usage_error(fmt::format("--fifo: expected a number of messages, found '{}'", text));
}

Result<std::string> parse_picture_format(const std::string& text) {
  return text == gif ? Result<std::string>(text) : known_format("--to", text);
}

Result<std::vector<int>> parse_drawn_ranks(const std::string& text) {
  return numbers("--ranks", "ranks", text);
}

Result<std::vector<int>> parse_drawn_blocks(const std::string& text) {
  return numbers("--blocks", "blocks", text);
}

Result<std::pair<int, int>> parse_drawn_steps(const std::string& text) {
  if (const auto steps = range(text)) return *steps;
  return usage_error(
      fmt::format("--steps: expected steps like 2 or 0..2, found '{}'{}", text, hint_at_peer_steps(text)));
}

/// The views, for `verify draw --help`.
std::string draw_help() {
  std::string text = "Views, with the options that each heeds:\n";
  for (const View& view : views())
    text += fmt::format("  {}\n      {}\n      {}\n", view.name, view.summary, view.heeds);
  text += fmt::format("  {}\n      for {}: what waits for what, a deadlock or race in red\n      {}\n",
                      happens_before_name, program_kind_names("and"),
                      "--ranks; --fold and --no-fold, except for launches; --fifo, except for plans");
  text += fmt::format("Of programs, {} and {} show the messages, with amounts instead of blocks.\n", steps_view.name,
                      time_view.name);
  text += "\nTrees, terms and happens-before need Graphviz, and PDF, EPS and PNG librsvg. See docs/drawing.md.";
  return text;
}

void describe(const CommandApp& app, DrawCommand& command) {
  app->footer(draw_help());
  add_subject(app, command.subject, schedule_or_program());
  app.group("What is shown");
  app.add_option("--view VIEW", command.view, "What to show; the views are listed below (default: steps)");
  app.add_parsed("--ranks LIST", command.ranks, parse_drawn_ranks,
                 "Show only what these ranks send, or end with: 0,5 or 0..3");
  app.add_parsed("--steps A..B", command.steps, parse_drawn_steps, "Show only these steps: 2 or 0..2");
  app.add_parsed("--blocks LIST", command.blocks, parse_drawn_blocks,
                 "Follow these blocks: 3, 0,3 or 0..7 (default: 0)")
      ->check(not_empty);
  app->add_flag("--counts", command.counts, "Show how many blocks each message has, or each link carries");
  app->add_flag("--no-wrap", command.no_wrap, "Draw the links around a ring or torus as lines across it");
  CLI::Option* fold =
      app->add_flag("--fold", command.fold, "Draw one of the ranks that send alike (default: where all don't fit)");
  app->add_flag("--no-fold", command.no_fold, "Draw all ranks, even if they hardly fit")->excludes(fold);
  app->add_flag("--transpose", command.transpose, "Make rows columns, such as ranks down instead of across");
  app.add_option("--columns N", command.columns, "At most so many steps side by side")->check(CLI::Range(1, 100));
  add_beside(app, command.beside,
             "Draw this algorithm or file, too. Steps mark messages that differ; times and loads have one scale");
  app->add_flag("--animate", command.animate, "Show the steps one after the other: a film, as .svg or .gif");
  app.add_parsed("--fifo K", command.fifo, parse_drawn_fifo,
                 "For happens-before: how many messages a connection holds; 0 is rendezvous (default: as the runtime "
                 "does)");
  app.add_parsed("--bytes SIZE", command.bytes, parse_sizes,
                 "For time: draw times to scale, for a vector of this size: 2Ki, 16Mi");
  app.add_parsed("--mode MODE", command.mode, parse_mode,
                 "With --bytes: synchronous, all ranks wait for each other after every step, or asynchronous, each for "
                 "its own messages (default: synchronous)");
  app.add_parsed("--blocking ORDER", command.blocking, parse_call_orders,
                 "For deadlock: the order of blocking calls (default: the first that deadlocks)");
  add_network(app, command.network, "Network, for the views contention, heat-map and cut, and for times");
  app.group(output_group);
  app.add_option("-o,--output FILE", command.output,
                 fmt::format("The picture: {}; .gif is a film (default: print DOT)", picture_suffixes()));
  app.add_parsed("--to FORMAT", command.format, parse_picture_format,
                 fmt::format("The format: {}, gif (default: as the file is named)", fmt::join(picture_formats, ", ")));
  app.add_parsed("--width W", command.width, parse_width, "Width of the picture: 3.3in, 84mm (default: 3.3in)");
  app.add_parsed("--height H", command.height, parse_height,
                 "Height of the page, which no picture exceeds (default: 9in)");
  app.add_option("--font NAME", command.font, "Family of the letters (default: Times)");
  app.add_parsed("--font-size PT", command.font_size, parse_font_size, "Size of the letters in points (default: 8)");
  app.add_option("--dpi N", command.dpi, "Dots per inch of a PNG (default: 200)")->check(CLI::Range(20, 2400));
  app->add_flag("--no-title", command.no_title, "Leave the title out, for a figure whose caption has it");
  app->add_flag("--no-key", command.no_key, "Leave out the key to lines and colours");
  app->add_flag("--no-note", command.no_note, "Leave out the sentences below the picture");
  app->add_flag("--caption", command.caption, "Print these sentences instead, as LaTeX for \\caption");
}

Result<ExitCode> run(const DrawCommand& command) {
  TRY(check_writable(command.output));
  auto read = files_read(command.subject, command.network);
  read.push_back({"--beside", command.beside});
  TRY(check_distinct(read, {{"-o", command.output}}));
  // Of a program, --torus says where its messages go; what waits for what has no places.
  const bool shows_messages = find_view_of_messages(command.view) != nullptr;
  const auto named = TRY(resolve(command.subject, shows_messages ? ProgramsOnTori::yes : ProgramsOnTori::no));
  return named.program ? draw_program(*named.program, command) : draw_schedule(named.schedules, command);
}

}  // namespace

Result<void> draw_counterexample(const Schedule& schedule, const Verification& run, const std::string& path) {
  const auto format = TRY(picture_format(path));
  DrawOptions options;
  options.repair = run.repair;
  for (const PropertyResult& result : run.report.properties)
    if (result.required && !options.counterexample) options.counterexample = result.counterexample;
  return write_counterexample(drawing_of(counterexample_view, schedule), options, format, path);
}

Result<void> draw_deadlock(const Schedule& schedule, CallOrder order, const std::string& path) {
  const auto format = TRY(picture_format(path));
  return write_counterexample(drawing_of(deadlock_view, schedule), {.calls = {order}}, format, path);
}

Result<void> draw_counterexample(const gpu::JudgedDescription& launches, const std::string& path) {
  const auto format = TRY(picture_format(path));
  const auto draw_these = [&](const DrawOptions& shown) {
    return draw_launches(launches.loaded, launches.report, {.ranks = shown.ranks, .style = shown.style});
  };
  return write_counterexample({.draw = draw_these}, {}, format, path);
}

Runner add_draw(CLI::App& app) {
  return run_with<DrawCommand>(app);
}

}  // namespace onceover::cli
