// The namespaces, one for each folder, and whose names each sees without writing them in full, with what those see.
// tests/rooms/check_rooms.py compares this with docs/source-map.md, which says what each folder may include.
#pragma once

namespace onceover::base {}

namespace onceover::schedules {
using namespace base;
}

namespace onceover::formats {
using namespace schedules;
}

namespace onceover::verifier {
using namespace schedules;
}

namespace onceover::gpu {
using namespace verifier;
}

namespace onceover::programs {
using namespace formats;
using namespace verifier;
}  // namespace onceover::programs

namespace onceover::proofs {
using namespace schedules;
}

namespace onceover::network {
using namespace schedules;
}

namespace onceover::optimum {
using namespace formats;
using namespace network;
using namespace proofs;
using namespace verifier;
}  // namespace onceover::optimum

namespace onceover::viz {
using namespace network;
using namespace programs;
}  // namespace onceover::viz

namespace onceover::subjects {
using namespace network;
using namespace programs;
using namespace proofs;
}  // namespace onceover::subjects

namespace onceover::python {
using namespace subjects;
using namespace viz;
}  // namespace onceover::python

namespace onceover::live {
using namespace subjects;
}

namespace onceover::code {
using namespace live;
}

namespace onceover::units {
using namespace code;
}

namespace onceover::gate {
using namespace units;
}

namespace onceover::papers {
using namespace optimum;
using namespace units;
using namespace viz;
}  // namespace onceover::papers

namespace onceover::cli {
using namespace code;
using namespace gate;
using namespace gpu;
using namespace optimum;
using namespace papers;
using namespace units;
using namespace viz;
}  // namespace onceover::cli
