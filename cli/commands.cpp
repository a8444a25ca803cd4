// The table of commands: what each is for, three examples, and what adds its options. Help, completion and the manual
// page are made from the rows.
//
// A command is a file: a struct of values, `describe`, which binds an option to each of them, and `run`.
//
// Example: `verify cost --p 2^3`. add_cost makes a CostCommand; `describe` has bound --p to a field of it and to the
// parser of lists of ranks; CLI11 reads the line; run(CostCommand) finds the list with one number, 8.

#include "cli/commands.h"

namespace onceover::cli {

Command verify_command(Team* team) {
  return {"verify", "Check that a collective algorithm delivers every contribution exactly once",
          R"(  # Is Swing right for 7 ranks?
  verify --algo swing --p 7
  # Is your own schedule right, and does no rank send two messages at a time?
  verify my-schedule.json --ports 1
  # Is your own algorithm right, written as a formula for each rank's peer?
  verify --peer 'r xor pow2(s)' --p 2^1..2^6
)",
          [team](CLI::App& app) { return add_verify(app, team); }};
}

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      Command{"list", "See which algorithms are in the catalogue, or all about one of them",
              R"(  # All algorithms
  verify list
  # One of them, with its parameters and its source
  verify list rabenseifner
  # As JSON, including the algorithms misprinted in papers
  verify list --as-printed --json
)",
              add_list},
      Command{"explain", "Learn what a property means, with an example that violates it",
              R"(  # What every schedule must do
  verify explain exactly-once
  # What --ports asks for
  verify explain ports
  # What floating-point users may want
  verify explain bitwise-reproducible
)",
              add_explain},
      Command{"export", "Write a schedule as a file for another program or runtime",
              R"(  # A schedule file
  verify export --algo swing --p 6 --to json -o s.json
  # A plan for MSCCL++
  verify export --algo ring --p 8 --to mscclpp -o ring.json
  # A C function that makes MPI calls
  verify export --algo swing --p 7 --to mpi -o swing.c
)",
              add_export},
      Command{"draw", "Draw a schedule or program: who sends what to whom, step by step",
              R"(  # Each step as a panel
  verify draw --view steps --algo swing --p 16 -o swing.pdf
  # The way of block 3 to its owner and back
  verify draw --view tree --algo swing --p 16 --blocks 3 -o tree.svg
  # The load of each link of a torus
  verify draw --view contention --algo swing --torus 4x4 --lanes all -o load.svg
)",
              add_draw},
      Command{"report", "Put everything about one schedule or program on one web page",
              R"(  # Verdicts, steps, loads, times and proofs
  verify report --algo swing --p 16 -o report.html
  # The same of your own schedule
  verify report my-schedule.json -o report.html
  # On a network of your own, with a bound on messages at a time
  verify report --algo ring --p 8 --ports 1 --topology fat-tree:radix=8 -o report.html
)",
              add_report},
      Command{"prove", "Prove that an algorithm is right for every number of ranks",
              R"(  # All theorems, and what they are about
  verify prove
  # What Swing rests on
  verify prove --algo swing
  # Your own algorithm, written as a formula for each rank's peer
  verify prove --peer 'r xor pow2(s)'
)",
              add_prove},
      Command{"contention", "See how much each link of a network carries, and which is the hottest",
              R"(  # Swing on a torus, each port in use
  verify contention --algo swing --torus 4x4 --lanes all
  # On a fat tree whose upper links are half as many
  verify contention --algo swing --p 16 --topology fat-tree:radix=8,taper=2
  # All links, for a spreadsheet
  verify contention --algo ring --p 8 --csv-out loads.csv
)",
              add_contention},
      Command{"bound", "See how few steps and how little time any algorithm could take on a network",
              R"(  # An allreduce on a torus
  verify bound --torus 8x8
  # An allgather on a fat tree whose upper links are half as many
  verify bound --p 16 --topology fat-tree:radix=8,taper=2 --collective allgather
  # As JSON, with the whole certificate
  verify bound --torus 4x4 --topology mesh --json
)",
              add_bound},
      Command{"optimum", "Find a schedule with the fewest steps for a few ranks, or show there is none",
              R"(  # The fewest steps of an allreduce among 5 ranks
  verify optimum --p 5 --out fewest.json
  # Do 3 steps do, if each rank sends 6 blocks at most?
  verify optimum --p 4 --steps 3 --volume 6
  # Of all pairings on a ring, which loads its links least?
  verify optimum --group pairs --p 64
)",
              add_optimum},
      Command{"cost", "Compare how long algorithms take on a network",
              R"(  # Swing and bucket on a torus, for vectors of many sizes
  verify cost --algo swing,bucket --torus 8x8 --lanes all
  # A formula of your own beside the ring, on links of 100 Gb/s
  verify cost --peer 'r xor pow2(s)' --p 16 --algo ring --bandwidth 100
  # A figure of a paper, beside what the paper says
  verify cost --preset swing-fig12
)",
              add_cost},
      Command{"lint", "Check whether a runtime would load an MSCCL XML file or a plan of MSCCL++",
              R"(  # Would RCCL load it?
  verify lint algo.xml --profile rccl
  # Would MSCCL++ load this plan, and run what it says?
  verify lint plan.json --profile mscclpp
  # The result for a program
  verify lint algo.xml --profile azure --json
)",
              add_lint},
      Command{"gate", "Judge everything that a gate file lists, as CI does",
              R"(  # Judge gate.toml, and tell the CI server
  verify gate gate.toml --junit-out gate.xml
  # Only the units of one algorithm
  verify gate gate.toml --filter swing
  # Record today's metrics; from now on --baseline fails what gets worse
  verify gate gate.toml --baseline baseline.json --update-baseline
)",
              add_gate},
      Command{"live", "Check what the collectives of this machine's MPI really compute",
              R"(  # Every collective, on 4 ranks
  verify live
  # Which algorithm of the catalogue is this allreduce?
  verify live --p 7 --collective allreduce --match
  # Each algorithm that Open MPI can be told to use
  verify live --sweep openmpi --p 2..4
)",
              add_live},
      Command{"code", "Judge a function that is written over MPI, in a simulator",
              R"(  # An allreduce, for 2 to 16 ranks
  verify code examples/code/ring.c --function my_allreduce --p 2..16
  # What it sends, as a schedule file
  verify code examples/code/ring.c --function my_allreduce --p 7 --count 1000 --schedule-out ring.json
  # Code that adds up double itself
  verify code examples/code/ring_double.c --function my_allreduce --numbers --p 7
)",
              add_code},
      Command{"gpu", "Judge GPU kernels from their PTX, without a GPU",
              R"(  # A launch, for all numbers of ranks that it names
  verify gpu examples/gpu/two_shot.toml
  # The same of your own program
  verify gpu allreduce.ptx --launch allreduce.toml --p 2..4
  # What there is in a program, as a draft of a launch description
  verify gpu --describe allreduce.ptx
)",
              add_gpu},
      Command{"watch", "Judge a file, program, code or gate again whenever it changes",
              R"(  # A schedule file, while you edit it
  verify watch my-schedule.json
  # A program that prints schedules, and a module that it uses
  verify watch --also routes.py --exec 'examples/pairwise.py {p}' --p 2..16
  # A function that is written over MPI
  verify watch code examples/code/ring.c --function my_allreduce --p 2..8
)",
              add_watch},
      Command{"claims", "See what five papers claim, and whether it holds",
              R"(  # All claims
  verify claims
  # One of them
  verify claims swing-least-steps
  # Claims of your own
  verify claims --from my-claims.toml
)",
              add_claims},
      Command{"completion", "Let your shell complete these commands",
              R"(  # bash, for this shell
  source <(verify completion bash)
  # zsh, from now on
  verify completion zsh > ~/.zfunc/_verify
  # fish, from now on
  verify completion fish > ~/.config/fish/completions/verify.fish
)",
              add_completion},
      Command{"manual", "Print the manual page, in the format of man",
              R"(  # Read it
  verify manual | man -l -
  # Keep it
  verify manual > verify.1
  # As plain text
  verify manual | man -l - | col -b
)",
              add_manual},
      Command{"help", "Explain a command, as its --help does",
              R"(  # What verify can do
  verify help
  # What draw can do
  verify help draw
  # The same
  verify draw --help
)",
              add_help},
  };
  return table;
}

}  // namespace onceover::cli
