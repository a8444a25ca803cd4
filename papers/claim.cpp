#include "papers/claim.h"

#include <iterator>
#include <stdexcept>

#include "papers/claim_files.h"
#include "papers/claim_reader.h"

namespace onceover::papers {

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> joined;
    for (const ClaimFile& file : claim_files()) {
      auto read = read_claims(file.name, file.text);
      if (!read) throw std::logic_error(read.error().message);
      std::move(read->begin(), read->end(), std::back_inserter(joined));
    }
    return joined;
  }();
  return all;
}

}  // namespace onceover::papers
