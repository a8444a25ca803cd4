#include "papers/claim.h"

#include <algorithm>
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

const Claim* find_claim(std::string_view id) {
  const auto& all = claims();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Claim& c) { return c.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace onceover::papers
