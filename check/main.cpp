// verify-check: judges a certificate that `verify --certify` wrote.

#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include "check/certificate.h"

static constexpr const char* usage =
    "Check that a certificate, written by verify --certify, proves its verdict on a schedule file.\n\n"
    "Usage: verify-check SCHEDULE CERTIFICATE. One of the files may be -, standard input.\n\n"
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
  if (argc != 3) return ends({check::Outcome::Kind::usage, usage});
  const check::Text files[] = {read(argv[1]), read(argv[2])};
  for (const check::Text& file : files)
    if (file.content.empty()) return ends({check::Outcome::Kind::usage, file.name + ": cannot be read, or is empty"});
  return ends(check::check_certificate(files[0], files[1]));
} catch (const std::bad_alloc&) {
  return ends({check::Outcome::Kind::usage, "there is not enough memory"});
}
