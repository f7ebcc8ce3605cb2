/* Create and free, 100,000 times: memory does not grow. */

#include "check.h"

/* Resident memory of this process in KiB; 0 where the system does not tell. */
static size_t resident_kib(void) {
    size_t pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%zu %zu", &pages, &resident) != 2) {
        resident = 0;
    }
    fclose(file);
    return resident * 4;
}

static void cycle(void) {
    static const uint32_t offsets[] = {0, 1, 2, 3};
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL, *copy = NULL, *refused = NULL;
    shardway_router_t *router = NULL;
    shardway_snapshot_t *snapshot = NULL;
    shardway_partitions_t *partitions = NULL;
    shardway_groups_t *groups = NULL;
    shardway_text_t *json = NULL, *text = NULL;
    shardway_partition_table_t *table = NULL;
    uint32_t node = 99;

    OK(shardway_topology_from_json(TEXT(THREE), &topology, &error));
    FAILS(SHARDWAY_INVALID_TOPOLOGY, NULL, shardway_topology_from_json(TEXT("{"), &refused, &error));
    OK(shardway_router_new(topology, 1, &router, &error));
    OK(shardway_router_route(router, TEXT("k"), &node, NULL, &error));
    OK(shardway_router_eject(router, TEXT("a"), NULL, &error));
    OK(shardway_router_group(router, "abc", 3, offsets, 3, &groups, &error));
    OK(shardway_router_snapshot(router, &snapshot, &error));
    OK(shardway_snapshot_topology(snapshot, &copy, &error));
    OK(shardway_snapshot_partitions(snapshot, &partitions, &error));
    OK(shardway_topology_to_json(topology, &json, &error));
    OK(shardway_router_explain(router, TEXT("k"), SHARDWAY_EXPLAIN_TEXT, &text, &error));
    OK(shardway_partition_table_new(&table, &error));
    shardway_router_free(shardway_router_clone(router));

    shardway_partition_table_free(table);
    shardway_text_free(text);
    shardway_text_free(json);
    shardway_partitions_free(partitions);
    shardway_topology_free(copy);
    shardway_snapshot_free(snapshot);
    shardway_groups_free(groups);
    shardway_router_free(router);
    shardway_topology_free(topology);
}

void test_memory_is_flat(void) {
    const size_t n_cycles = 100000 / slower;
    for (size_t i = 0; i < n_cycles / 10; i++) {
        cycle();
    }
    size_t before = resident_kib();
    for (size_t i = 0; i < n_cycles; i++) {
        cycle();
    }
    size_t after = resident_kib();
    printf("      %zu cycles, resident %zu KiB before and %zu KiB after\n", n_cycles, before, after);
    /* One leaked ring of THREE a cycle alone would be above 500 MiB. Where memory is being watched, the watcher's
       own grows, and it is the one that tells of a leak. */
    CHECK(slower > 1 || (before > 0 && after <= before + 1024));
}
