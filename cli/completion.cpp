// Completion for bash, zsh and fish. The shells' scripts know nothing: they ask the program what can come at the end of
// a command line, with `verify complete -- WORDS..`. The program answers from the same commands and options as --help.
// Each line of the answer is a word, and after a tab its meaning. The line `files` below asks for the shell's own
// completion of file names.
//
// Example: in `verify complete -- draw --view cont` the last word is to be completed. It follows an option that takes a
// value, so the answer is the view `contention`.
//
// Every answer reads the line once and makes all lists of words, which are tables: a few milliseconds.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/watched_files.h"
#include "formats/msccl_profile.h"
#include "network/topology.h"
#include "papers/claim.h"
#include "papers/presets.h"
#include "proofs/theorem.h"
#include "schedules/catalogue.h"
#include "verifier/blocking.h"
#include "verifier/property.h"
#include "viz/program_view.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

struct CompletionCommand {
  std::string shell = {};
};

using Words = std::vector<std::string>;

constexpr std::string_view files = ":files";  // no word begins with a colon

struct Script {
  std::string_view name;  // of the shell
  std::string_view text;
};

constexpr std::string_view bash_script = R"(# Completion of `verify` for bash.
_verify() {
  local IFS=$'\n' word about current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS=$'\t' read -r word about; do
    if [[ $word = :files ]]; then
      COMPREPLY+=($(compgen -f -- "$current"))
    else
      COMPREPLY+=("$word")
    fi
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _verify verify
)";

constexpr std::string_view zsh_script = R"(#compdef verify
# Completion of `verify` for zsh.
_verify() {
  local word about
  local -a found
  while IFS=$'\t' read -r word about; do
    if [[ $word = :files ]]; then
      _files
    else
      found+=("${word//:/\\:}:$about")
    fi
  done < <("$words[1]" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe verify found
}
if [[ $funcstack[1] = _verify ]]; then _verify "$@"; else compdef _verify verify; fi
)";

constexpr std::string_view fish_script = R"(# Completion of `verify` for fish.
function __verify_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..] "$current" 2>/dev/null)
        if test $line = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c verify -f -a '(__verify_complete)'
)";

constexpr Script scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

template <class Names>
Words words_of(const Names& names) {
  return Words(names.begin(), names.end());
}

template <class Table>
Words names_in(const Table& table) {
  return words_of(mapped(table, [](const auto& row) { return row.name; }));
}

template <class Table>
Words ids_in(const Table& table) {
  return words_of(mapped(table, [](const auto& row) { return row.id; }));
}

Words preset_names() {
  Words words = names_in(presets());
  words.insert(words.begin(), "all");
  return words;
}

/// The algorithms, without those kept to show a wrong text.
Words algorithm_names() {
  Words words;
  for (const Algorithm& row : catalogue())
    if (!row.as_printed) words.emplace_back(row.name);
  return words;
}

Words topology_names() {
  Words words = names_in(topologies());
  std::sort(words.begin(), words.end());
  return words;
}

/// The views of schedules, and the one of programs.
Words view_names() {
  Words words = names_in(views());
  words.emplace_back(happens_before_name);
  return words;
}

Words order_names() {
  return words_of(mapped(call_orders(), [](CallOrder order) { return name(order); }));
}

Words command_names() {
  Words words{"verify"};
  for (const Command& command : commands()) words.emplace_back(command.name);
  return words;
}

/// The possible values of an option, or words after a command, if there are only a few.
const std::map<std::string_view, Words>& known_values() {
  static const std::map<std::string_view, Words> table{
      {"--algo", algorithm_names()},
      {"--blocking", order_names()},
      {"--collective", names_in(contracts)},
      {"--color", {"always", "auto", "never"}},
      {"--lanes", {"1", "all"}},
      {"--mode", {"synchronous", "asynchronous"}},
      {"--preset", preset_names()},
      {"--profile", names_in(msccl_profiles())},
      {"--proto", words_of(msccl_protocols())},
      {"--require", ids_in(properties())},
      {"--waive", ids_in(properties())},
      {"--routing", {"minimal", "ecmp", "dimension-order"}},
      {"--solver", {"z3", "z3,cvc5"}},
      {"--to", words_of(export_format_names())},
      {"--topology", topology_names()},
      {"--view", view_names()},
      {"claims", ids_in(claims())},
      {"completion", names_in(scripts)},
      {"explain", ids_in(properties())},
      {"help", command_names()},
      {"list", algorithm_names()},
      {"prove", ids_in(theorems())},
  };
  return table;
}

/// Collects the words that begin like the word to be completed.
class Candidates {
 public:
  explicit Candidates(std::string_view begun) : begun_(begun) {}

  void add(std::string_view word, std::string_view about = "") {
    if (!word.starts_with(begun_)) return;
    text_ += word;
    if (!about.empty()) text_ += fmt::format("\t{}", about);
    text_ += '\n';
  }
  void add_values(const std::string& name) {
    const auto values = known_values().find(name);
    if (values == known_values().end()) return;
    for (const std::string& word : values->second) add(word);
  }
  void add_flags(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
      for (const std::string& name : option->get_snames()) add("-" + name, option->get_description());
    }
  }
  void add_files() { text_ += fmt::format("{}\n", files); }

  const std::string& text() const { return text_; }

 private:
  std::string_view begun_;
  std::string text_;
};

const CLI::App* command_named(const CLI::App& verify, const std::string& name) {
  for (const CLI::App* command : verify.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

/// Does the option take a file, judging by the name of its value in --help?
bool takes_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type == "COMMAND" || type == "DIR" || type.find("FILE") != std::string::npos;
}

/// The words after `watch`: options of its own, then a line of verify itself, or of another command.
std::string completions_after_watch(const CLI::App& verify, std::vector<std::string> words) {
  const auto is_own = [](const std::string& word) { return word == "--also" || word == "--runs"; };
  while (words.size() > 2 && is_own(words.front())) words.erase(words.begin(), words.begin() + 2);
  Candidates answer(words.back());
  if (words.size() == 2 && is_own(words.front())) {
    if (words.front() == "--also") answer.add_files();
  } else if (words.size() > 1) {
    return completions(verify, words);
  } else if (words.back().starts_with('-')) {
    answer.add_flags(*command_named(verify, "watch"));
    answer.add_flags(verify);
  } else {
    for (const std::string_view each : watched_commands) {
      const std::string name(each);
      answer.add(name, command_named(verify, name)->get_description());
    }
    answer.add_files();
  }
  return answer.text();
}

}  // namespace

std::string completions(const CLI::App& verify, const std::vector<std::string>& words) {
  if (words.size() > 1 && words.front() == "watch")
    return completions_after_watch(verify, {words.begin() + 1, words.end()});
  const std::string begun = words.empty() ? "" : words.back();
  const std::string before = words.size() < 2 ? "" : words[words.size() - 2];
  const CLI::App* chosen = words.size() < 2 ? nullptr : command_named(verify, words.front());
  const CLI::App& command = chosen != nullptr ? *chosen : verify;
  const CLI::Option* option = before.starts_with('-') ? command.get_option_no_throw(before) : nullptr;
  Candidates answer(begun);
  if (option != nullptr && option->get_items_expected_max() > 0) {
    answer.add_values(option->get_name());
    if (takes_file(*option)) answer.add_files();
  } else if (begun.starts_with('-')) {
    answer.add_flags(command);
  } else {
    answer.add_values(command.get_name());
    if (words.size() < 2)
      for (const CLI::App* each : verify.get_subcommands({})) answer.add(each->get_name(), each->get_description());
    if (command.get_option_no_throw("FILE") != nullptr) answer.add_files();
  }
  return answer.text();
}

namespace {

void describe(const CommandApp& app, CompletionCommand& command) {
  app.group(subject_group);
  app->add_option("SHELL", command.shell, "bash, zsh or fish")->required();
}

Result<ExitCode> run(const CompletionCommand& command) {
  std::vector<std::string_view> names;
  for (const Script& script : scripts) {
    names.push_back(script.name);
    if (script.name != command.shell) continue;
    TRY(print(std::string(script.text)));
    return ExitCode::ok;
  }
  return usage_error(fmt::format("no completion for '{}'{}; there are {}", command.shell,
                                 suggestion(command.shell, names), fmt::join(names, ", ")));
}

}  // namespace

Runner add_completion(CLI::App& app) {
  return run_with<CompletionCommand>(app);
}

}  // namespace onceover::cli
