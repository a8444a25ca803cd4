// Runs a fuzz target on its seeds, in the folder that ONCEOVER_FUZZ_SEEDS names, and on random changes of them, a fixed
// number of times. Compiled once for all targets. The libFuzzer build (preset `fuzz`) goes on from there.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    all.push_back(content.str());
  }
  std::sort(all.begin(), all.end());
  return all;
}

void change(std::string& text, std::mt19937& random) {
  constexpr std::string_view letters = "{}[]():,?\"\\0123456789-+*/<>=!%.e \nsrcdstblockrun\xff";
  auto somewhere = [&] { return random() % (text.size() + 1); };
  switch (random() % 4) {
    case 0: text.insert(somewhere(), 1, letters[random() % letters.size()]); break;
    case 1:
      if (!text.empty()) text.erase(random() % text.size(), 1 + random() % 8);
      break;
    case 2:
      if (!text.empty()) text[random() % text.size()] = letters[random() % letters.size()];
      break;
    default: text.insert(somewhere(), text.substr(somewhere(), random() % 64));
  }
}

void run_changes(int count) {
  const char* folder = std::getenv("ONCEOVER_FUZZ_SEEDS");
  REQUIRE(folder != nullptr);
  std::mt19937 random(3);
  const auto all = files_in(folder);
  REQUIRE(all.size() >= 4);
  for (const std::string& seed : all) run(seed);
  for (int k = 0; k < count; ++k) {
    std::string text = all[random() % all.size()].substr(0, 4000);
    for (auto changes = 1 + random() % 4; changes > 0; --changes) change(text, random);
    run(text);
  }
}

}  // namespace

TEST_CASE("the reader survives random changes of its seeds") {
  run_changes(3000);
}

TEST_CASE("the reader survives more random changes of its seeds", "[long]") {
  run_changes(20000);
}
