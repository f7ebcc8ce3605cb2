/* Topologies: reading, refusing, bounds; structs of another size. */

#include <stdlib.h>

#include "check.h"

#define FULL                                                                                                           \
    "{\"format\": 1, \"revision\": 7, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": ["                             \
    "{\"id\": \"first\", \"host\": \"10.0.0.1\", \"port\": 9090, \"weight\": 3, \"shard_id\": -5, \"zone\": \"z1\"},"  \
    "{\"id\": \"n\\u0000l\"}]}"

void test_topology_readers(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = topology_of(TEXT(FULL)), *again = NULL, *reordered = NULL;
    shardway_node_t node = {sizeof node, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0};
    shardway_text_t *text = NULL;
    const char *id = NULL;
    size_t length = 0;

    CHECK(shardway_topology_revision(topology) == 7);
    CHECK(shardway_topology_node_count(topology) == 2);
    OK(shardway_topology_node(topology, 0, &node, &error));
    CHECK(node.struct_size == sizeof node);
    CHECK(node.id_length == 5 && memcmp(node.id, "first", 5) == 0);
    CHECK(node.host_length == 8 && memcmp(node.host, "10.0.0.1", 8) == 0);
    CHECK(node.zone_length == 2 && memcmp(node.zone, "z1", 2) == 0);
    CHECK(node.port == 9090 && node.weight == 3 && node.has_shard_id == 1 && node.shard_id == -5);
    OK(shardway_topology_node(topology, 1, &node, &error));
    CHECK(node.id_length == 3 && memcmp(node.id, "n\0l", 3) == 0);
    CHECK(node.host == NULL && node.host_length == 0 && node.zone == NULL && node.zone_length == 0);
    CHECK(node.port == 0 && node.weight == 1 && node.has_shard_id == 0 && node.shard_id == 0);
    OK(shardway_topology_node_id(topology, 0, &id, &length, &error));
    CHECK(length == 5 && memcmp(id, "first", 5) == 0);
    FAILS(SHARDWAY_INVALID_ARGUMENT, "index", shardway_topology_node(topology, 2, &node, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "index", shardway_topology_node_id(topology, UINT32_MAX, &id, &length, &error));

    /* Out and in again is the same. */
    OK(shardway_topology_to_json(topology, &text, &error));
    CHECK(shardway_text_length(text) == strlen(shardway_text_data(text)));
    OK(shardway_topology_from_json(shardway_text_data(text), shardway_text_length(text), &again, &error));
    CHECK(shardway_topology_equals(topology, again) == 1 && shardway_topology_equals(topology, topology) == 1);
    CHECK(shardway_topology_fingerprint(topology) == shardway_topology_fingerprint(again));

    /* The order of nodes is no content of a native ring; a weight is. */
    shardway_topology_t *three = topology_of(TEXT(THREE));
    reordered = topology_of(TEXT(RING("{\"id\": \"c\", \"weight\": 2}, {\"id\": \"b\"}, {\"id\": \"a\"}")));
    CHECK(shardway_topology_fingerprint(three) == shardway_topology_fingerprint(reordered));
    CHECK(shardway_topology_fingerprint(three) != shardway_topology_fingerprint(topology));
    CHECK(shardway_topology_equals(three, topology) == 0 && shardway_topology_revision(three) == 0);

    /* A clone is the same handle, counted. */
    shardway_topology_t *clone = shardway_topology_clone(topology);
    shardway_text_t *text_clone = shardway_text_clone(text);
    shardway_topology_free(topology);
    shardway_text_free(text);
    CHECK(shardway_topology_node_count(clone) == 2 && shardway_text_length(text_clone) > 0);
    shardway_topology_free(clone);
    shardway_text_free(text_clone);
    shardway_topology_free(again);
    shardway_topology_free(three);
    shardway_topology_free(reordered);
}

void test_topology_refusals(void) {
    static const struct {
        const char *json, *place;
    } wrong[] = {
        {"", NULL},
        {"nonsense", NULL},
        {"[]", NULL},
        {THREE "x", NULL},
        {"{\"format\": 2, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": []}", "format"},
        {"{\"format\": 1, \"nodes\": []}", NULL},
        {"{\"format\": 1, \"scheme\": {\"native\": \"ring-v0\"}, \"nodes\": []}", NULL},
        {RING("{\"id\": \"a\"}, {\"id\": \"a\"}"), "nodes[1].id"},
        {RING("{\"id\": \"a\"}, {\"id\": \"\"}"), "nodes[1].id"},
        {RING("{\"id\": \"a\", \"weight\": -1}"), "nodes[0].weight"},
        {RING("{\"id\": \"a\", \"weight\": \"much\"}"), "nodes[0].weight"},
        {RING("{\"id\": \"a\", \"weight\": NaN}"), NULL},
        {RING("{\"id\": \"a\", \"weight\": 1000000001}"), "nodes[0].weight"},
        {RING("{\"id\": \"a\", \"port\": 65536}"), "nodes[0].port"},
        {RING("{\"id\": \"a\", \"colour\": 1}"), NULL},
        {RING("{\"id\": 7}"), "nodes[0].id"},
    };
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (!FAILS(SHARDWAY_INVALID_TOPOLOGY, wrong[i].place,
                   shardway_topology_from_json(wrong[i].json, strlen(wrong[i].json), &topology, &error))) {
            printf("    %s\n", wrong[i].json);
        }
    }
    FAILS(SHARDWAY_INVALID_TOPOLOGY, NULL, shardway_topology_from_json(NULL, 0, &topology, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "json", shardway_topology_from_json(TEXT("{\"a\": \"\xff\"}"), &topology, &error));
    /* A NUL inside the document is a byte like any other: no valid JSON. */
    FAILS(SHARDWAY_INVALID_TOPOLOGY, NULL, shardway_topology_from_json(THREE, sizeof THREE, &topology, &error));
    CHECK(topology == NULL);
}

/* A ring of `n` nodes; the caller frees it. */
static char *ring_of(size_t n, size_t *length) {
    char *json = malloc(n * 20 + 100), *end = json;
    if (json == NULL) {
        exit(EXIT_FAILURE);
    }
    end += sprintf(end, "{\"format\": 1, \"num_reps\": 1, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [");
    for (size_t i = 0; i < n; i++) {
        end += sprintf(end, "%s{\"id\": \"%zu\"}", i == 0 ? "" : ",", i);
    }
    end += sprintf(end, "]}");
    *length = (size_t)(end - json);
    return json;
}

void test_topology_bounds(void) {
    const size_t most = slower == 1 ? 100000 : 0, sizes[] = {0, 1, most, 100001, slower == 1 ? 1000000 : 0};
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t length = 0;
        char *json = ring_of(sizes[i], &length);
        shardway_topology_t *topology = NULL;
        if (sizes[i] <= 100000) {
            OK(shardway_topology_from_json(json, length, &topology, &error));
            CHECK(shardway_topology_node_count(topology) == sizes[i]);
        } else {
            FAILS(SHARDWAY_INVALID_TOPOLOGY, "nodes", shardway_topology_from_json(json, length, &topology, &error));
            CHECK(strstr(error.message, "100000") != NULL || strstr(error.message, "100,000") != NULL);
        }
        shardway_topology_free(topology);
        free(json);
    }
}

void test_struct_sizes(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    shardway_partition_table_t *table = NULL;
    OK(shardway_partition_table_new(&table, &error));

    shardway_node_t node = {0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0};
    shardway_stats_t stats = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    shardway_event_t event = {0, 0, 0, 0, 0, {0}};
    shardway_key_t key = {0, SHARDWAY_KEY_I64, 0, 1, NULL, 0};
    shardway_partition_stats_t counts = {0, 0, 0, 0, 0};
    shardway_left_out_t left = {0, 0, 0, NULL, 0};
    shardway_partitions_t *partitions = NULL;
    shardway_instance_t instances[2] = {{0, 0, 1, 7, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0},
                                        {0, 0, 0, 7, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0}};
    uint32_t index = 0;
    size_t n = 0;

    for (int less = 0; less < 2; less++) {
        REFUSES("node", shardway_snapshot_node, snapshot, 0, &node);
        REFUSES("stats", shardway_router_stats, router, &stats);
        REFUSES("event", shardway_router_report, router, TEXT("a"), SHARDWAY_OUTCOME_FAILURE, 1, 1, &event);
        REFUSES("events", shardway_router_tick, router, 1, &event, 1, &n);
        REFUSES("key", shardway_router_route_typed, router, &key, &index, NULL);
        REFUSES("stats", shardway_partition_table_stats, table, &counts);
        REFUSES("instances", shardway_partitions_build, instances, 2, &partitions);
        node.struct_size = sizeof node - 1;
        stats.struct_size = sizeof stats - 8;
        event.struct_size = sizeof event - 8;
        key.struct_size = sizeof key - 8;
        counts.struct_size = sizeof counts - 8;
        instances[0].struct_size = sizeof instances[0] - 8;
    }
    instances[0].struct_size = sizeof instances[0];
    REFUSES("instances[1].struct_size", shardway_partitions_build, instances, 2, &partitions);
    instances[1].struct_size = sizeof instances[1];
    OK(shardway_partitions_build(instances, 2, &partitions, &error));
    REFUSES("left_out", shardway_partitions_left_out, partitions, 0, &left);

    /* A newer caller's struct is longer: its part stays as it was. */
    struct {
        shardway_stats_t ours;
        uint64_t theirs;
    } newer = {{sizeof newer, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 77};
    OK(shardway_router_stats(router, &newer.ours, &error));
    CHECK(newer.ours.nodes == 3 && newer.ours.struct_size == sizeof newer && newer.theirs == 77);

    shardway_partitions_free(partitions);
    shardway_partition_table_free(table);
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}
