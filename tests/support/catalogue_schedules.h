// All schedules of the catalogue on a torus, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <vector>

#include "namespaces.h"
#include "schedules/catalogue.h"

namespace onceover::support {

/// Visits each row of the catalogue that the torus is in the domain of, with each collective, on one lane and on all.
template <class Visit>
void for_each_schedule(const std::vector<Rank>& shape, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const bool lanes : {false, true}) {
        Request request{.collective = collective, .shape = shape};
        request.all_lanes = lanes;
        if ((lanes && !row.has_lanes) || refusal(row, request)) continue;
        INFO(row.name << " " << name(collective) << " " << shape_text(shape) << (lanes ? ", all lanes" : ""));
        visit(*row.make(request));
      }
}

}  // namespace onceover::support
