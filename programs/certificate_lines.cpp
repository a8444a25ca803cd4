#include "programs/certificate_lines.h"

#include <functional>
#include <queue>

namespace onceover::programs {

std::size_t CertificateLines::add(std::string words) {
  lines_.push_back(std::move(words));
  return lines_.size() - 1;
}

std::optional<std::string> CertificateLines::sorted(const std::vector<Edge>& edges) const {
  std::vector<std::vector<std::size_t>> after(lines_.size());
  std::vector<std::size_t> waits(lines_.size(), 0);
  const auto wait = [&](std::size_t before, std::size_t then) {
    if (before == then) return;
    after[before].push_back(then);
    ++waits[then];
  };
  for (const auto& [before, then] : edges_) wait(before, then);
  for (const Edge& e : edges)
    for (const std::size_t before : lines_of_event_[e.before])
      for (const std::size_t then : lines_of_event_[e.after]) wait(before, then);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t k = 0; k < lines_.size(); ++k)
    if (waits[k] == 0) ready.push(k);
  std::string text;
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::size_t k = ready.top();
    ready.pop();
    text += lines_[k] + '\n';
    for (const std::size_t then : after[k])
      if (--waits[then] == 0) ready.push(then);
  }
  return done == lines_.size() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace onceover::programs
