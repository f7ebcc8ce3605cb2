/* A client of the first release: compiled with the header as it was then, run with the library as it is now. */

#include "shardway-0.1.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what, const shardway_error_t *error) {
    fprintf(stderr, "old client: %s: %s\n", what, error->message);
    return 1;
}

int main(void) {
    const char *json = "{\"format\": 1, \"scheme\": {\"native\": \"ring-v1\"},"
                       " \"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\"}]}";
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL;
    shardway_router_t *router = NULL;
    shardway_snapshot_t *snapshot = NULL;
    shardway_groups_t *groups = NULL;
    shardway_stats_t stats = {0};
    shardway_event_t event = {0};
    char owner[SHARDWAY_NODE_ID_CAPACITY];
    const uint32_t offsets[] = {0, 1, 2, 3};
    stats.struct_size = sizeof stats;
    event.struct_size = sizeof event;
    if (shardway_abi_version() != SHARDWAY_ABI_VERSION) {
        fprintf(stderr, "old client: the ABI version changed; it needs a new frozen header beside this one\n");
        return 1;
    }
    if (shardway_topology_from_json(json, strlen(json), &topology, &error) != SHARDWAY_OK) {
        return failed("topology", &error);
    }
    if (shardway_router_new(topology, 42, &router, &error) != SHARDWAY_OK) {
        return failed("router", &error);
    }
    if (shardway_router_route_id(router, "user:1", 6, owner, sizeof owner, NULL, NULL, &error) != SHARDWAY_OK) {
        return failed("route", &error);
    }
    if (shardway_router_group(router, "abc", 3, offsets, 3, &groups, &error) != SHARDWAY_OK ||
        shardway_groups_key_count(groups) != 3) {
        return failed("group", &error);
    }
    if (shardway_router_report(router, "a", 1, SHARDWAY_OUTCOME_FAILURE, 1, 2, &event, &error) != SHARDWAY_OK ||
        event.kind != SHARDWAY_EVENT_NONE) {
        return failed("report", &error);
    }
    if (shardway_router_stats(router, &stats, &error) != SHARDWAY_OK || stats.nodes != 3 || stats.points != 480) {
        return failed("stats", &error);
    }
    if (shardway_router_snapshot(router, &snapshot, &error) != SHARDWAY_OK) {
        return failed("snapshot", &error);
    }
    if (shardway_router_eject(router, "x", 1, NULL, &error) != SHARDWAY_UNKNOWN_NODE || error.code != SHARDWAY_UNKNOWN_NODE) {
        return failed("eject", &error);
    }
    shardway_groups_free(groups);
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
    shardway_topology_free(topology);
    printf("old client: %s owns user:1\n", owner);
    return 0;
}
