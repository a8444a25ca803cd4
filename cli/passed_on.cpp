#include "cli/passed_on.h"

namespace onceover::cli {

void pass_on(const CommandApp& app, std::vector<std::string>& words, const std::string& option, const std::string& type,
             const std::string& about) {
  app->add_option_function<std::string>(
         option,
         [&words, option](const std::string& value) {
           words.insert(words.end(), {option, value});
         },
         about)
      ->check(not_empty)
      ->type_name(type);
}

void pass_flag_on(const CommandApp& app, std::vector<std::string>& words, const std::string& flag,
                  const std::string& about) {
  app->add_flag_callback(
      flag, [&words, flag] { words.push_back(flag); }, about);
}

void pass_calls_on(const CommandApp& app, std::vector<std::string>& words) {
  pass_on(app, words, "--count", "LIST",
          "Elements of the vector: numbers, p, 2p, p-1, .. (default: 0,1,p-1,p,p+1,1000 and more than 64 KiB)");
  pass_on(app, words, "--root", "LIST", "The roots of collectives that have one: 0,p-1, or all (default: several)");
  pass_on(app, words, "--layout", "LIST",
          "Of collectives that take counts: even, uneven, scattered or one, several, or all (default: all)");
  pass_on(app, words, "--repeat", "K", "Make each call this many times (default: 2)");
  pass_flag_on(app, words, "--non-commutative", "Only with an operator that does not commute");
  pass_flag_on(app, words, "--both-operators", "Reductions with an operator that commutes, and one that doesn't");
  pass_flag_on(app, words, "--in-place", "Only with MPI_IN_PLACE, where the collective has it (default: both ways)");
}

}  // namespace onceover::cli
