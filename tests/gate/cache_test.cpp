#include "gate/cache.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "run_program.h"

using namespace onceover;
using gate::Cache;
using gate::Measurement;

namespace {

namespace fs = std::filesystem;

Measurement passing() {
  Measurement m;
  m.scope = "every block";
  m.properties = {{"exactly-once", Verdict::pass, "fine"}};
  m.measures.known.emplace("congestion", Rational(6, 5));
  m.measures.missing.emplace("staging", "nobody asked");
  m.notes = {"a note"};
  return m;
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void replace(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("cache: what is kept comes back under its key and no other") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  CHECK_FALSE(cache.find("a"));
  cache.keep("a", passing());
  const auto found = Cache(folder.path()).find("a");
  REQUIRE(found);
  CHECK(to_json(*found) == to_json(passing()));
  CHECK_FALSE(cache.find("b"));
}

TEST_CASE("cache: an entry under another key's file name is not found") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  cache.keep("a", passing());
  const fs::path of_a = files_in(folder.path()).front();
  cache.keep("b", passing());
  for (const fs::path& path : files_in(folder.path()))
    if (path != of_a) fs::copy_file(of_a, path, fs::copy_options::overwrite_existing);
  CHECK(cache.find("a"));
  CHECK_FALSE(cache.find("b"));
}

TEST_CASE("cache: damaged entries are as if they weren't there") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  cache.keep("a", passing());
  const fs::path path = files_in(folder.path()).front();
  const std::string whole = content(path);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string damaged = whole;
    damaged[k] = static_cast<char>(damaged[k] ^ 1);
    replace(path, damaged);
    CHECK_FALSE(cache.find("a"));
    replace(path, whole.substr(0, k));
    CHECK_FALSE(cache.find("a"));
  }
  replace(path, whole + "x");
  CHECK_FALSE(cache.find("a"));
  replace(path, whole);
  CHECK(cache.find("a"));
}

TEST_CASE("cache: only settled verdicts are kept") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  Measurement m = passing();
  m.properties.front().verdict = Verdict::unknown;
  cache.keep("a", m);
  CHECK_FALSE(cache.find("a"));
  m = passing();
  m.failure = cli::Failure{cli::ExitCode::malformed, "no"};
  cache.keep("a", m);
  CHECK_FALSE(cache.find("a"));
}

TEST_CASE("cache: a folder that can't be made keeps nothing and breaks nothing") {
  Cache cache("/dev/null/nowhere");
  cache.keep("a", passing());
  CHECK_FALSE(cache.find("a"));
  Cache none("");
  none.keep("a", passing());
  CHECK_FALSE(none.find("a"));
}

TEST_CASE("cache: the folder is bounded, and what was kept last stays") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  const auto key = [](int k) { return std::string(std::size_t{4'000'000}, static_cast<char>('a' + k)); };
  for (int k = 0; k < 18; ++k) cache.keep(key(k), passing());
  for (const fs::path& path : files_in(folder.path())) fs::last_write_time(path, fs::file_time_type::clock::now());
  cache.keep("last", passing());
  cache.prune();
  std::uintmax_t total = 0;
  for (const fs::path& path : files_in(folder.path())) total += fs::file_size(path);
  CHECK(total <= std::uintmax_t{64} << 20);
  CHECK(total > 0);
  CHECK(cache.find("last"));
  // What is too large for its share is not kept at all.
  cache.keep(std::string(std::size_t{5} << 20, 'x'), passing());
  CHECK_FALSE(cache.find(std::string(std::size_t{5} << 20, 'x')));
}
