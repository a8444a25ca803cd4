// verify-check: judges a certificate that `verify --certify` wrote.

#include <fstream>
#include <iostream>
#include <sstream>

#include "check/certificate.h"

static constexpr const char* usage =
    "Usage: verify-check SCHEDULE CERTIFICATE\n"
    "Does the certificate, of verify --certify, prove its verdict on the schedule file?\n"
    "Exit codes: 0 it does, and the verdict is printed; 1 it does not; 2 usage; 3 malformed.";

static check::Text read(const char* name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return {name, std::move(content).str()};
}

static int ends(const check::Outcome& outcome) {
  std::ostream& out = outcome.kind == check::Outcome::Kind::proved ? std::cout : std::cerr;
  out << (outcome.kind == check::Outcome::Kind::unproven ? "not proved: " : "") << outcome.message << std::endl;
  return out ? static_cast<int>(outcome.kind) : 2;
}

int main(int argc, char** argv) {
  using Kind = check::Outcome::Kind;
  if (argc == 2 && std::string(argv[1]) == "--help") return ends({Kind::proved, usage});
  if (argc != 3) return ends({Kind::usage, usage});
  const check::Text files[] = {read(argv[1]), read(argv[2])};
  for (const check::Text& file : files)
    if (file.content.empty()) return ends({Kind::usage, file.name + ": cannot be read, or is empty"});
  return ends(check::check_certificate(files[0], files[1]));
}
