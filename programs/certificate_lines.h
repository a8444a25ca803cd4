// CertificateLines: the lines of a certificate, each after those that it waits for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/event_graph.h"

namespace onceover::programs {

/// Events happen in lines. Edges between events become edges between lines, by which these are sorted; among those that
/// may come next, the first added does. O((lines + edges) * log lines).
class CertificateLines {
 public:
  explicit CertificateLines(Event events) : lines_of_event_(events) {}

  /// Adds a line without its end, and returns its number.
  std::size_t add(std::string words);

  /// The event happens in the line, and in others where it was put before.
  void put(Event event, std::size_t line) { lines_of_event_[event].push_back(line); }
  bool has(Event event) const { return !lines_of_event_[event].empty(); }

  void order(std::size_t before, std::size_t after) { edges_.emplace_back(before, after); }

  /// All lines; nothing if some wait for each other.
  std::optional<std::string> sorted(const std::vector<Edge>& edges) const;

 private:
  std::vector<std::string> lines_;
  std::vector<std::vector<std::size_t>> lines_of_event_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace onceover::programs
