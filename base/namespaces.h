// The namespaces, one a folder, and what each sees without saying so: the folders that it may use. What those use, it
// sees, too. tests/rooms/check_rooms.py holds the includes against this.
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

namespace onceover::viz {
using namespace network;
using namespace programs;
}  // namespace onceover::viz

namespace onceover::subjects {
using namespace network;
using namespace programs;
using namespace proofs;
}  // namespace onceover::subjects

namespace onceover::gate {
using namespace subjects;
}

namespace onceover::papers {
using namespace gate;
}

namespace onceover::live {
using namespace subjects;
}

namespace onceover::cli {
using namespace gate;
using namespace live;
using namespace papers;
using namespace viz;
}  // namespace onceover::cli
