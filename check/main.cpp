// verify-check: judges a certificate that `verify --certify` wrote, or bounds that `verify bound --json` printed.

#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "check/certificate.h"

static constexpr const char* usage =
    "Check that a certificate, written by verify --certify, proves its verdict on a schedule file.\n"
    "With one file: that bounds, written by verify bound --json, follow from the links in it.\n\n"
    "Usage: verify-check SCHEDULE CERTIFICATE, or verify-check BOUNDS. One of the files may be -, standard input.\n\n"
    "Exit codes: 0 it does, and the verdict is printed; 1 it does not; 2 usage, or no memory; 3 malformed.";

/// The content of a file, empty if it can't be read to its end; "-" is standard input.
static check::Text read(const std::string& name) {
  std::ifstream file(name == "-" ? "/dev/stdin" : name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return {name, file && content ? std::move(content).str() : ""};
}

static int ends(const check::Outcome& outcome) {
  std::ostream& out = outcome.kind == check::Outcome::Kind::proved ? std::cout : std::cerr;
  out << (outcome.kind == check::Outcome::Kind::unproven ? "not proved: " : "") << outcome.message << std::endl;
  return out ? static_cast<int>(outcome.kind) : 2;
}

int main(int argc, char** argv) try {
  if (argc == 2 && std::string(argv[1]) == "--help") return ends({check::Outcome::Kind::proved, usage});
  if (argc != 2 && argc != 3) return ends({check::Outcome::Kind::usage, usage});
  std::vector<check::Text> files;
  for (int k = 1; k < argc; ++k) {
    files.push_back(read(argv[k]));
    if (files.back().content.empty())
      return ends({check::Outcome::Kind::usage, files.back().name + ": cannot be read, or is empty"});
  }
  return ends(argc == 2 ? check::check_bound(files[0]) : check::check_certificate(files[0], files[1]));
} catch (const std::bad_alloc&) {
  return ends({check::Outcome::Kind::usage, "there is not enough memory"});
}
