// The schedules that sentences are about, made one by one, and how they fare on networks.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/stop.h"
#include "network/contention.h"
#include "network/topology.h"
#include "papers/evidence.h"
#include "schedules/catalogue.h"
#include "subjects/limit.h"

namespace onceover::papers {

inline std::string text_of(const Failure& failure) {
  return failure.message;
}

inline std::string text_of(const SourceError& error) {
  return error.render();
}

inline std::string text_of(const Unroutable& error) {
  return error.text;
}

inline const std::string& text_of(const std::string& error) {
  return error;
}

/// The tables of claims are ours, so what can't be read or measured in them is a bug, unless all work is to stop.
template <class T, class E>
T sure(tl::expected<T, E> read) {
  if (read) return std::move(*read);
  stop_point();
  throw std::logic_error("a claim can't be tried: " + text_of(read.error()));
}

template <class T>
T sure(std::optional<T> found) {
  if (found) return std::move(*found);
  stop_point();
  throw std::logic_error("a claim can't be tried: the numbers are too large");
}

/// The sides of the tori, then the lines.
std::vector<std::vector<Rank>> shapes_of(const Check& check);

/// The schedule of a row, which has one there.
SchedulePtr made(const Check& check, const std::vector<Rank>& shape);

/// One schedule of a sentence.
struct Case {
  std::string text;  // "swing, p = 7"
  std::vector<Rank> shape;
  SchedulePtr schedule;
};

/// Those of the row; with "all", of all rows that are right as printed and have one there. Tori before lines.
std::vector<Case> cases_of(const Check& check);

/// "hx4mesh:within-board=wires", of that shape.
Network network_of(std::string_view topology, const std::vector<Rank>& shape);

Contention measured(const Schedule& schedule, const Network& network);

}  // namespace onceover::papers
