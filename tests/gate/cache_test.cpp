#include "gate/cache.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "run_program.h"

namespace cache_test {

using namespace onceover::gate;
using namespace onceover::support;

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

TEST_CASE("sha256: the examples of FIPS 180") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("cache: an entry is named by the SHA-256 of its key, and a long key costs no room") {
  const TemporaryFolder folder;
  Cache cache(folder.path());
  cache.keep(std::string(std::size_t{5} << 20, 'x'), passing());
  const fs::path path = files_in(folder.path()).front();
  CHECK(path.filename().string().size() == 64);
  CHECK(path.filename().string().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(fs::file_size(path) < 2000);
  CHECK(cache.find(std::string(std::size_t{5} << 20, 'x')));
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
  m.failure = Failure{ExitCode::malformed, "no"};
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
  Measurement large = passing();
  large.notes = {std::string(std::size_t{4'000'000}, 'x')};
  for (int k = 0; k < 18; ++k) cache.keep(std::to_string(k), large);
  for (const fs::path& path : files_in(folder.path())) fs::last_write_time(path, fs::file_time_type::clock::now());
  cache.keep("last", passing());
  cache.prune();
  std::uintmax_t total = 0;
  for (const fs::path& path : files_in(folder.path())) total += fs::file_size(path);
  CHECK(total <= std::uintmax_t{64} << 20);
  CHECK(total > 0);
  CHECK(cache.find("last"));
  // What is too large for its share is not kept at all.
  large.notes = {std::string(std::size_t{5} << 20, 'x')};
  cache.keep("too large", large);
  CHECK_FALSE(cache.find("too large"));
}

}  // namespace cache_test
