// Every public header, twice, in each of two translation units: nothing is defined twice, nothing depends on order.

#ifdef SECOND_UNIT

#include "every_header.hpp"
#include "every_header.hpp"

std::string second_unit() { return std::string(shardway::name(shardway::ErrorCode::Closed)) + shardway::version(); }

#else

#include "every_header.hpp"
#include "every_header.hpp"

std::string second_unit();

int main() {
    const shardway::Router router(shardway::Topology::ring_v1().node("a").build());
    return router.route_id("key") == "a" && second_unit() == "Closed" SHARDWAY_VERSION ? 0 : 1;
}

#endif
