/* Runs every test of the C ABI and says how many passed. `--slow-machine N` does 1/N of the long ones. */

#include <stdlib.h>

#include "check.h"

size_t n_checks, n_failures, slower = 1;

int check_that(int holds, const char *what, const char *file, int line) {
    n_checks++;
    if (!holds) {
        n_failures++;
        printf("%s:%d: does not hold: %s\n", file, line, what);
    }
    return holds;
}

int check_status(shardway_status_t got, shardway_status_t wanted, const shardway_error_t *error, const char *place,
                 const char *what, const char *file, int line) {
    int fine = got == wanted;
    if (fine && error != NULL && wanted != SHARDWAY_OK) {
        fine = error->code == wanted && error->message_length > 0 && strlen(error->message) > 0;
        fine = fine && (place == NULL || strcmp(error->place, place) == 0);
    }
    n_checks++;
    if (!fine) {
        n_failures++;
        printf("%s:%d: answers %d (%s), wanted %d at %s: %s\n", file, line, (int)got, shardway_status_name(got),
               (int)wanted, place == NULL ? "any place" : place, what);
        if (error != NULL && got != SHARDWAY_OK) {
            printf("    at \"%s\": %s\n", error->place, error->message);
        }
    }
    return fine;
}

shardway_topology_t *topology_of(const char *json, size_t length) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL;
    if (!OK(shardway_topology_from_json(json, length, &topology, &error))) {
        exit(EXIT_FAILURE);
    }
    return topology;
}

shardway_router_t *router_of(const char *json, size_t length) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = topology_of(json, length);
    shardway_router_t *router = NULL;
    if (!OK(shardway_router_new(topology, 42, &router, &error))) {
        exit(EXIT_FAILURE);
    }
    shardway_topology_free(topology);
    return router;
}

shardway_snapshot_t *snapshot_of(const shardway_router_t *router) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_snapshot_t *snapshot = NULL;
    if (!OK(shardway_router_snapshot(router, &snapshot, &error))) {
        exit(EXIT_FAILURE);
    }
    return snapshot;
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"versions", test_versions},
    {"error struct", test_error_struct},
#ifdef SHARDWAY_PANIC_TEST
    {"panic", test_panic},
#endif
    {"NULL: handles", test_null_handles},
    {"NULL: topology", test_null_topology},
    {"NULL: router", test_null_router},
    {"NULL: snapshot", test_null_snapshot},
    {"NULL: groups", test_null_groups},
    {"NULL: partitions", test_null_partitions},
    {"topology: readers", test_topology_readers},
    {"topology: refusals", test_topology_refusals},
    {"topology: bounds", test_topology_bounds},
    {"struct sizes", test_struct_sizes},
    {"lookups agree", test_lookups_agree},
    {"odd keys", test_odd_keys},
    {"typed keys", test_typed_keys},
    {"room for an id", test_route_id_room},
    {"replicas", test_replicas},
    {"group: batches", test_group_batches},
    {"group: refusals", test_group_refusals},
    {"explain", test_explain},
    {"publish", test_publish},
    {"eject and revive", test_eject_and_revive},
    {"empty ring", test_empty_ring},
    {"health", test_health},
    {"tick keeps what does not fit", test_tick_keeps_what_does_not_fit},
    {"an old snapshot stays", test_old_snapshot_stays},
    {"free in any order", test_free_in_any_order},
    {"partitions: declared", test_declared_partitions},
    {"partitions: built", test_built_partitions},
    {"partitions: table", test_partition_table},
    {"threads", test_threads},
    {"fork", test_fork},
    {"memory is flat", test_memory_is_flat},
};

int main(int n_arguments, char **arguments) {
    size_t passed = 0, n_tests = sizeof tests / sizeof tests[0];
    if (n_arguments == 3 && strcmp(arguments[1], "--slow-machine") == 0) {
        slower = strtoul(arguments[2], NULL, 10);
    }
    if (slower == 0 || (n_arguments != 1 && n_arguments != 3)) {
        fprintf(stderr, "usage: %s [--slow-machine N]\n", arguments[0]);
        return 2;
    }
    for (size_t test = 0; test < n_tests; test++) {
        size_t before = n_failures;
        tests[test].run();
        passed += n_failures == before;
        printf("%s  %s\n", n_failures == before ? "ok  " : "FAIL", tests[test].name);
        fflush(stdout);
    }
    printf("%zu checks, %zu of them failed\n", n_checks, n_failures);
    printf("%zu passed\n", passed);
    return passed == n_tests ? EXIT_SUCCESS : EXIT_FAILURE;
}
