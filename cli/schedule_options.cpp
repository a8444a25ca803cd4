// The options of commands with one subject: a schedule, or a program.
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/shared_options.h"
#include "subjects/input_kind.h"
#include "viz/renderer.h"

namespace onceover::cli {

namespace {

std::string schedule_or_program() {
  return "A schedule file (JSON), or a program: " + program_kind_names("or");
}

void add_properties(const CommandApp& app, VerifyCommand& command) {
  add_required(app, command.required, command.waived);
  add_bounds(app, command.bounds);
  app.add_each("--limit LIMIT", command.metric_limits.limits, parse_limit,
               "Require a limit on metrics, such as 'steps <= 2*ceil(log2(p))'; may be repeated; see docs/gate.md");
  app.add_parsed("--blocking ORDER", command.blocking, parse_call_orders,
                 "Check instead whether the schedule ends when ranks run it as blocking calls in these orders: "
                 "even-odd, all-send-first, sendrecv, or all");
  app.add_parsed("--fifo K", command.fifo, parse_fifo,
                 "For programs: how many messages a connection holds; 0 is rendezvous (default: as the runtime does)")
      ->check(whole_number);
  app.add_parsed("--profile NAME", command.profile, parse_profile,
                 "For MSCCL XML: the runtime, msccl, rccl or azure (default: the one that guarantees least)");
  app.add_parsed("--reading HOW", command.reading, parse_reading,
                 "For plans of MSCCL++: as intended, or as its executor of August 2026 runs them (default: intended)");
  app.add_parsed("--sizes RANGE", command.sizes, parse_message_sizes,
                 "For plans of MSCCL++: judge messages of these sizes, such as 1Ki..64Mi (default: all)");
}

void add_outputs(const CommandApp& app, VerifyCommand& command) {
  app->add_flag("--full", command.full, "Print every property and metric");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.add_file("--json-out", command.json_out, "Also write the result as JSON to this file");
  app.add_file("--draw-counterexample", command.counterexample_out,
               fmt::format("Draw the first failure into this file: {}", picture_suffixes()));
  app.add_file("--repair-out", command.repair_out,
               "Write the first schedule that fails to this file, with the repair that was found");
  app.add_file("--certify", command.certificate, "Write a certificate of the verdict, which verify-check checks");
}

/// Adds --beside, a second subject.
void add_beside(const CommandApp& app, std::string& beside, const std::string& about) {
  app.add_option("--beside NAME|FILE", beside, about)->check(not_empty);
}

/// Options for how the work is done, on which no verdict depends.
void add_ways(const CommandApp& app, VerifyCommand& command) {
  app->add_flag("--fail-fast", command.fail_fast, "Stop after the first of several schedules that fails");
  auto* every_block = app->add_flag("--no-symmetry", command.no_symmetry,
                                    "Execute every block, even of large schedules that have a symmetry");
  app->add_flag("--symmetry", command.symmetry,
                "Execute one block for all that a checked symmetry maps it to, even in small schedules")
      ->excludes(every_block);
  app->add_flag("--repair", command.repair, "Look longer for a small change that makes a wrong schedule right");
  app->add_flag("--suggest", command.suggest, "If the formula of --peer fails, look for one nearby that passes");
  app->add_flag("--distributed", command.distributed,
                "Under mpirun: share the blocks of a large schedule among the processes");
}

}  // namespace

void describe(const CommandApp& app, VerifyCommand& command) {
  add_subject(app, command.subject,
              fmt::format("Schedule files (JSON) or programs: {}; or folders of such", program_kind_names("or")),
              Takes::several, nullptr, &command.files);
  app.group(property_group);
  add_properties(app, command);
  add_shape_of_network(app, command.metric_limits.network,
                       "Network, for limits on latency, bandwidth, congestion, time and bound");
  app.group(output_group);
  add_outputs(app, command);
  app.group("Way of working");
  add_ways(app, command);
  app.group(limits_group);
  add_block_budget(app, command.budget, "Give up on a schedule after this many block transfers and results");
}

void describe(const CommandApp& app, ExportCommand& command) {
  add_subject(app, command.subject);
  app.group(output_group);
  app.add_parsed("--to FORMAT", command.format, parse_export_format, "The format: " + export_formats_in_words())
      ->required();
  app.add_option("-o,--output FILE", command.output, "The file to write (default: standard output)");
  app->add_flag("--in-place", command.in_place,
                "For msccl-xml, mscclpp and goal: write the result over the input instead of copying the input first");
  app.add_parsed("--channels N", command.channels, parse_channels,
                 "For msccl-xml: connections of each two ranks, used in turn (default: as few as the runtimes' limits "
                 "allow)");
  app.add_parsed("--proto NAME", command.protocol, parse_protocol,
                 "For msccl-xml: the protocol, Simple, LL or LL128; for mscclpp Simple or LL (default: Simple)");
  app->add_flag("--rccl-names", command.rccl_names,
                "For msccl-xml: name collectives as RCCL does, reducescatter for reduce_scatter");
  app.add_parsed("--bytes N", command.bytes, parse_vector_bytes,
                 "For goal: bytes of the vector, such as 16Mi (default: 1Mi)");
  app.add_option("--name NAME", command.name,
                 "For mpi: the name of the C function (default: from the schedule, such as swing_allreduce_p7)")
      ->check(not_empty);
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
  app->add_flag("--counts", command.counts, "Show how many blocks each message has");
  app->add_flag("--no-wrap", command.no_wrap, "Draw the links around a ring or torus as lines across it");
  add_beside(app, command.beside,
             "Draw this algorithm or file to the right. Steps mark messages that differ; times have one scale");
  app->add_flag("--animate", command.animate, "Show the steps one after the other: a film, as .svg or .gif");
  app.add_parsed("--fifo K", command.fifo, parse_drawn_fifo,
                 "For happens-before: how many messages a connection holds; 0 is rendezvous (default: as the runtime "
                 "does)");
  app.add_parsed("--bytes SIZE", command.bytes, parse_sizes,
                 "For time: draw times to scale, for a vector of this size: 2Ki, 16Mi");
  app.add_parsed("--mode MODE", command.mode, parse_mode,
                 "With --bytes: synchronous, all ranks wait for each other after every step, or asynchronous, each for "
                 "its own messages (default: synchronous)");
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
}

void describe(const CommandApp& app, ReportCommand& command) {
  add_subject(app, command.subject, schedule_or_program());
  app.group(property_group);
  add_required(app, command.required, command.waived);
  add_bounds(app, command.bounds);
  add_network(app, command.network);
  app.group(output_group);
  add_beside(app, command.beside, "Show this algorithm or file on the same page, and what differs");
  app.add_file("-o,--output", command.output, "The page to write, such as report.html; - prints it")->required();
  app.group(limits_group);
  add_block_budget(app, command.budget, "Give up after this many block transfers, or links that messages cross");
}

void describe(const CommandApp& app, ContentionCommand& command) {
  add_subject(app, command.subject, schedule_or_program(), Takes::several);
  add_network(app, command.network);
  app.group(output_group);
  app.add_parsed("--steps S", command.step, parse_step, "Show the loads of this step only");
  add_beside(app, command.beside, "Compare the loads with those of this algorithm or file, step by step");
  add_json(app, command.json);
  app.add_file("--csv-out", command.csv, "Write the loads of all links to this file; - prints them");
  add_plot(app, command.plot, "the load of each step, or the deficiencies of several schedules");
  app.group(limits_group);
  add_link_budget(app, command.budget);
}

void describe(const CommandApp& app, CostCommand& command) {
  add_subject(app, command.subject, schedule_or_program(), Takes::one, &command.contenders);
  app.group("Times");
  app.add_parsed("--bytes LIST", command.bytes, parse_sizes, "Sizes of the vector: 2Ki, 1Mi,4Mi, or 32..512Mi by fours")
      ->default_str("32..512Mi");
  app.add_parsed("--bytes-per-rank LIST", command.bytes_per_rank, parse_sizes_per_rank,
                 "In place of --bytes: sizes of what one rank brings or gets, of an allgather the p-th part of the "
                 "vector");
  app.add_parsed("--mode MODE", command.mode, parse_mode,
                 "synchronous: all ranks wait after each step; asynchronous: each waits for its own receives")
      ->default_str("synchronous");
  app.add_parsed("--preset NAME", command.presets, presets_named,
                 "Repeat a setting of a paper and compare with what the paper says: swing-fig7, .., or all");
  add_network(app, command.network);
  app.group(output_group);
  add_json(app, command.json);
  app.add_file("--csv-out", command.csv, "Write all times to this file; - prints them");
  add_plot(app, command.plot, "goodput over the vector's size");
  app.group(limits_group);
  add_link_budget(app, command.budget);
}

}  // namespace onceover::cli
