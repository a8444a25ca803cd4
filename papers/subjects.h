// Makes the schedules that sentences are about, one by one, and measures them on networks.
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

/// The value of something that can't fail, such as reading our own claims. A failure is a bug, unless all work is to
/// stop.
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

/// The schedule of a row, which must have one for this check and shape.
SchedulePtr made(const Check& check, const std::vector<Rank>& shape);

/// A schedule that a sentence is about.
struct Case {
  std::string text;  // "swing, p = 7"
  std::vector<Rank> shape;
  SchedulePtr schedule;
};

/// The cases of a row; for "all", those of every row that is right as printed and has a schedule there. Tori come
/// before lines.
std::vector<Case> cases_of(const Check& check);

/// The network "hx4mesh:within-board=wires" and the like, of that shape.
Network network_of(std::string_view topology, const std::vector<Rank>& shape);

Contention measured(const Schedule& schedule, const Network& network);

}  // namespace onceover::papers
