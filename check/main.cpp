// verify-check: judges a certificate that `verify --certify` wrote.

#include <fstream>
#include <iostream>
#include <sstream>

#include "check/certificate.h"

namespace {

constexpr const char* usage =
    "Usage: verify-check SCHEDULE CERTIFICATE\n"
    "Does the certificate, of verify --certify, prove its verdict on the schedule file?\n"
    "Exit codes: 0 it does, and the verdict is printed; 1 it does not; 2 usage; 3 malformed.\n";

bool read(const char* name, check::Text& text) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream content;
  if (!(content << file.rdbuf())) return false;
  text = {name, std::move(content).str()};
  return true;
}

int ends(const check::Outcome& outcome) {
  const bool is_proved = outcome.kind == check::Outcome::Kind::proved;
  if (outcome.kind == check::Outcome::Kind::unproven) std::cerr << "not proved: ";
  (is_proved ? std::cout : std::cerr) << outcome.message << std::endl;
  return std::cout ? static_cast<int>(outcome.kind) : 2;
}

}  // namespace

int main(int argc, char** argv) {
  using Kind = check::Outcome::Kind;
  if (argc == 2 && std::string(argv[1]) == "--help") return ends({Kind::proved, usage});
  if (argc != 3) return ends({Kind::usage, usage});
  check::Text files[2];
  for (int k = 0; k < 2; ++k)
    if (!read(argv[k + 1], files[k]))
      return ends({Kind::usage, std::string(argv[k + 1]) + ": cannot be read, or is empty"});
  return ends(check::check_certificate(files[0], files[1]));
}
