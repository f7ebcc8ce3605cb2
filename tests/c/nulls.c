/* NULL for every pointer of every function. `run.sh` checks that no function is missing here. */

#include "check.h"

#define KEY TEXT("user:42")
#define NOWHERE NULL, 3

static shardway_key_t some_key(void) {
    shardway_key_t key = {sizeof key, SHARDWAY_KEY_TEXT, 0, 0, "user:42", 7};
    return key;
}

void test_null_handles(void) {
    /* Free of NULL, clone of NULL. */
    shardway_text_free(NULL);
    shardway_topology_free(NULL);
    shardway_router_free(NULL);
    shardway_snapshot_free(NULL);
    shardway_groups_free(NULL);
    shardway_partitions_free(NULL);
    shardway_partition_table_free(NULL);
    CHECK(shardway_text_clone(NULL) == NULL);
    CHECK(shardway_topology_clone(NULL) == NULL);
    CHECK(shardway_router_clone(NULL) == NULL);
    CHECK(shardway_snapshot_clone(NULL) == NULL);
    CHECK(shardway_groups_clone(NULL) == NULL);
    CHECK(shardway_partitions_clone(NULL) == NULL);
    CHECK(shardway_partition_table_clone(NULL) == NULL);

    /* Readers that cannot fail. */
    CHECK(shardway_text_data(NULL) == NULL && shardway_text_length(NULL) == 0);
    CHECK(shardway_topology_fingerprint(NULL) == 0 && shardway_topology_revision(NULL) == 0);
    CHECK(shardway_topology_node_count(NULL) == 0);
    CHECK(shardway_snapshot_node_count(NULL) == 0 && shardway_snapshot_revision(NULL) == 0);
    CHECK(shardway_snapshot_fingerprint(NULL) == 0 && shardway_snapshot_point_count(NULL) == 0);
    CHECK(shardway_groups_count(NULL) == 0 && shardway_groups_key_count(NULL) == 0);
    CHECK(shardway_groups_revision(NULL) == 0 && shardway_groups_nodes(NULL) == NULL);
    CHECK(shardway_groups_offsets(NULL) == NULL && shardway_groups_indices(NULL) == NULL);
    CHECK(shardway_partitions_count(NULL) == 0 && shardway_partitions_left_out_count(NULL) == 0);

    /* These take no pointer, or one that a status has. */
    CHECK(shardway_version() != NULL && shardway_abi_version() == SHARDWAY_ABI_VERSION);
    CHECK(shardway_status_name(0) != NULL && shardway_status_advice(0) != NULL);

    uint8_t bytes[8];
    shardway_key_t key = some_key(), hollow = some_key();
    hollow.data = NULL;
    REFUSES("bytes", shardway_key_i64, 1, NULL);
    REFUSES("key", shardway_key_thrift, NULL, bytes);
    REFUSES("bytes", shardway_key_thrift, &key, NULL);
    REFUSES("key.data", shardway_key_thrift, &hollow, bytes);
}

void test_null_topology(void) {
    shardway_topology_t *topology = topology_of(TEXT(THREE)), *out = NULL;
    shardway_text_t *text = NULL;
    shardway_node_t node = {sizeof node, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0};
    const char *id = NULL;
    size_t length = 0;

    REFUSES("json", shardway_topology_from_json, NULL, 5, &out);
    REFUSES("topology", shardway_topology_from_json, TEXT(THREE), NULL);
    REFUSES("topology", shardway_topology_to_json, NULL, &text);
    REFUSES("json", shardway_topology_to_json, topology, NULL);
    REFUSES("topology", shardway_topology_node, NULL, 0, &node);
    REFUSES("node", shardway_topology_node, topology, 0, NULL);
    REFUSES("topology", shardway_topology_node_id, NULL, 0, &id, &length);
    REFUSES("id", shardway_topology_node_id, topology, 0, NULL, &length);
    REFUSES("id_length", shardway_topology_node_id, topology, 0, &id, NULL);
    CHECK(shardway_topology_equals(topology, NULL) == 0 && shardway_topology_equals(NULL, topology) == 0);
    CHECK(shardway_topology_equals(NULL, NULL) == 1);
    CHECK(out == NULL && text == NULL && node.id == NULL && id == NULL && length == 0);
    shardway_topology_free(topology);
}

void test_null_router(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = topology_of(TEXT(THREE));
    shardway_router_t *router = router_of(TEXT(THREE)), *out = NULL;
    shardway_snapshot_t *snapshot = NULL;
    shardway_groups_t *groups = NULL;
    shardway_text_t *text = NULL;
    shardway_key_t key = some_key(), hollow = some_key();
    shardway_stats_t stats = {sizeof stats, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    shardway_event_t event = {sizeof event, 0, 0, 0, 0, {0}};
    uint32_t node = 99, nodes[3] = {99, 99, 99}, offsets[2] = {0, 1};
    uint64_t revision = 99, large[2] = {0, 1};
    int32_t answer = 99;
    size_t n = 99;
    char id[SHARDWAY_NODE_ID_CAPACITY] = "";
    hollow.data = NULL;

    REFUSES("topology", shardway_router_new, NULL, 1, &out);
    REFUSES("router", shardway_router_new, topology, 1, NULL);

    REFUSES("router", shardway_router_route, NULL, KEY, &node, &revision);
    REFUSES("key", shardway_router_route, router, NOWHERE, &node, &revision);
    REFUSES("node", shardway_router_route, router, KEY, NULL, &revision);
    REFUSES("router", shardway_router_route_id, NULL, KEY, id, sizeof id, &n, &revision);
    REFUSES("key", shardway_router_route_id, router, NOWHERE, id, sizeof id, &n, &revision);
    REFUSES("id", shardway_router_route_id, router, KEY, NULL, sizeof id, &n, &revision);
    REFUSES("router", shardway_router_route_typed, NULL, &key, &node, &revision);
    REFUSES("key", shardway_router_route_typed, router, NULL, &node, &revision);
    REFUSES("key.data", shardway_router_route_typed, router, &hollow, &node, &revision);
    REFUSES("node", shardway_router_route_typed, router, &key, NULL, &revision);
    REFUSES("router", shardway_router_route_hash, NULL, 1, &node, &revision);
    REFUSES("node", shardway_router_route_hash, router, 1, NULL, &revision);
    REFUSES("router", shardway_router_replicas, NULL, KEY, nodes, 3, &n, &revision);
    REFUSES("key", shardway_router_replicas, router, NOWHERE, nodes, 3, &n, &revision);
    REFUSES("nodes", shardway_router_replicas, router, KEY, NULL, 3, &n, &revision);
    REFUSES("n_nodes", shardway_router_replicas, router, KEY, nodes, 3, NULL, &revision);
    REFUSES("router", shardway_router_replicas_typed, NULL, &key, nodes, 3, &n, &revision);
    REFUSES("key", shardway_router_replicas_typed, router, NULL, nodes, 3, &n, &revision);
    REFUSES("nodes", shardway_router_replicas_typed, router, &key, NULL, 3, &n, &revision);
    REFUSES("n_nodes", shardway_router_replicas_typed, router, &key, nodes, 3, NULL, &revision);

    REFUSES("router", shardway_router_group, NULL, "k", 1, offsets, 1, &groups);
    REFUSES("data", shardway_router_group, router, NULL, 1, offsets, 1, &groups);
    REFUSES("offsets", shardway_router_group, router, "k", 1, NULL, 1, &groups);
    REFUSES("groups", shardway_router_group, router, "k", 1, offsets, 1, NULL);
    REFUSES("router", shardway_router_group_large, NULL, "k", 1, large, 1, &groups);
    REFUSES("data", shardway_router_group_large, router, NULL, 1, large, 1, &groups);
    REFUSES("offsets", shardway_router_group_large, router, "k", 1, NULL, 1, &groups);
    REFUSES("groups", shardway_router_group_large, router, "k", 1, large, 1, NULL);
    REFUSES("router", shardway_router_group_hashes, NULL, large, 2, &groups);
    REFUSES("hashes", shardway_router_group_hashes, router, NULL, 2, &groups);
    REFUSES("groups", shardway_router_group_hashes, router, large, 2, NULL);

    REFUSES("router", shardway_router_explain, NULL, KEY, SHARDWAY_EXPLAIN_TEXT, &text);
    REFUSES("key", shardway_router_explain, router, NOWHERE, SHARDWAY_EXPLAIN_TEXT, &text);
    REFUSES("text", shardway_router_explain, router, KEY, SHARDWAY_EXPLAIN_TEXT, NULL);
    REFUSES("router", shardway_router_explain_typed, NULL, &key, SHARDWAY_EXPLAIN_JSON, &text);
    REFUSES("key", shardway_router_explain_typed, router, NULL, SHARDWAY_EXPLAIN_JSON, &text);
    REFUSES("text", shardway_router_explain_typed, router, &key, SHARDWAY_EXPLAIN_JSON, NULL);
    REFUSES("router", shardway_router_snapshot, NULL, &snapshot);
    REFUSES("snapshot", shardway_router_snapshot, router, NULL);

    REFUSES("router", shardway_router_publish, NULL, topology, &answer);
    REFUSES("topology", shardway_router_publish, router, NULL, &answer);
    REFUSES("router", shardway_router_eject, NULL, TEXT("a"), &answer);
    REFUSES("id", shardway_router_eject, router, NULL, 1, &answer);
    REFUSES("router", shardway_router_revive, NULL, TEXT("a"), &answer);
    REFUSES("id", shardway_router_revive, router, NULL, 1, &answer);
    REFUSES("router", shardway_router_admit, NULL, TEXT("a"), 1, &answer);
    REFUSES("id", shardway_router_admit, router, NULL, 1, 1, &answer);
    REFUSES("admission", shardway_router_admit, router, TEXT("a"), 1, NULL);
    REFUSES("router", shardway_router_report, NULL, TEXT("a"), SHARDWAY_OUTCOME_FAILURE, 1, 1, &event);
    REFUSES("id", shardway_router_report, router, NULL, 1, SHARDWAY_OUTCOME_FAILURE, 1, 1, &event);
    REFUSES("router", shardway_router_tick, NULL, 1, &event, 1, &n);
    REFUSES("events", shardway_router_tick, router, 1, NULL, 1, &n);
    REFUSES("n_events", shardway_router_tick, router, 1, &event, 1, NULL);
    REFUSES("router", shardway_router_next_tick, NULL, &revision);
    REFUSES("next_tick_ms", shardway_router_next_tick, router, NULL);
    REFUSES("router", shardway_router_stats, NULL, &stats);
    REFUSES("stats", shardway_router_stats, router, NULL);

    /* Nothing was written by all of these. */
    CHECK(out == NULL && snapshot == NULL && groups == NULL && text == NULL && id[0] == 0);
    CHECK(node == 99 && nodes[0] == 99 && revision == 99 && answer == 99 && n == 99 && stats.nodes == 0);

    /* These may be NULL. */
    OK(shardway_router_route(router, KEY, &node, NULL, &error));
    OK(shardway_router_route_id(router, KEY, id, sizeof id, NULL, NULL, &error));
    OK(shardway_router_route_typed(router, &key, &node, NULL, &error));
    OK(shardway_router_route_hash(router, 1, &node, NULL, &error));
    OK(shardway_router_replicas(router, KEY, nodes, 3, &n, NULL, &error));
    OK(shardway_router_replicas_typed(router, &key, nodes, 3, &n, NULL, &error));
    OK(shardway_router_publish(router, topology, NULL, &error));
    OK(shardway_router_eject(router, TEXT("a"), NULL, &error));
    OK(shardway_router_revive(router, TEXT("a"), NULL, &error));
    OK(shardway_router_report(router, TEXT("a"), SHARDWAY_OUTCOME_FAILURE, 1, 1, NULL, &error));
    OK(shardway_router_tick(router, 1, NULL, 0, &n, &error));

    shardway_topology_free(topology);
    shardway_router_free(router);
}

void test_null_snapshot(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    shardway_topology_t *topology = NULL;
    shardway_partitions_t *partitions = NULL;
    shardway_groups_t *groups = NULL;
    shardway_text_t *text = NULL;
    shardway_key_t key = some_key();
    shardway_node_t about = {sizeof about, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0};
    uint32_t node = 99, nodes[3] = {99, 99, 99}, offsets[2] = {0, 1};
    uint64_t revision = 99, large[2] = {0, 1};
    int32_t answer = 99;
    size_t n = 99;
    const char *id = NULL;

    REFUSES("snapshot", shardway_snapshot_node, NULL, 0, &about);
    REFUSES("node", shardway_snapshot_node, snapshot, 0, NULL);
    REFUSES("snapshot", shardway_snapshot_node_id, NULL, 0, &id, &n);
    REFUSES("id", shardway_snapshot_node_id, snapshot, 0, NULL, &n);
    REFUSES("id_length", shardway_snapshot_node_id, snapshot, 0, &id, NULL);
    REFUSES("snapshot", shardway_snapshot_index_of, NULL, TEXT("a"), &node);
    REFUSES("id", shardway_snapshot_index_of, snapshot, NULL, 1, &node);
    REFUSES("index", shardway_snapshot_index_of, snapshot, TEXT("a"), NULL);
    REFUSES("snapshot", shardway_snapshot_is_ejected, NULL, 0, &answer);
    REFUSES("ejected", shardway_snapshot_is_ejected, snapshot, 0, NULL);
    REFUSES("snapshot", shardway_snapshot_hash, NULL, KEY, &revision);
    REFUSES("key", shardway_snapshot_hash, snapshot, NOWHERE, &revision);
    REFUSES("hash", shardway_snapshot_hash, snapshot, KEY, NULL);
    REFUSES("snapshot", shardway_snapshot_hash_typed, NULL, &key, &revision);
    REFUSES("key", shardway_snapshot_hash_typed, snapshot, NULL, &revision);
    REFUSES("hash", shardway_snapshot_hash_typed, snapshot, &key, NULL);
    REFUSES("snapshot", shardway_snapshot_topology, NULL, &topology);
    REFUSES("topology", shardway_snapshot_topology, snapshot, NULL);
    REFUSES("snapshot", shardway_snapshot_partitions, NULL, &partitions);
    REFUSES("partitions", shardway_snapshot_partitions, snapshot, NULL);

    REFUSES("snapshot", shardway_snapshot_route, NULL, KEY, &node, &revision);
    REFUSES("key", shardway_snapshot_route, snapshot, NOWHERE, &node, &revision);
    REFUSES("node", shardway_snapshot_route, snapshot, KEY, NULL, &revision);
    REFUSES("snapshot", shardway_snapshot_route_typed, NULL, &key, &node, &revision);
    REFUSES("key", shardway_snapshot_route_typed, snapshot, NULL, &node, &revision);
    REFUSES("node", shardway_snapshot_route_typed, snapshot, &key, NULL, &revision);
    REFUSES("snapshot", shardway_snapshot_route_hash, NULL, 1, &node, &revision);
    REFUSES("node", shardway_snapshot_route_hash, snapshot, 1, NULL, &revision);
    REFUSES("snapshot", shardway_snapshot_replicas, NULL, KEY, nodes, 3, &n, &revision);
    REFUSES("key", shardway_snapshot_replicas, snapshot, NOWHERE, nodes, 3, &n, &revision);
    REFUSES("nodes", shardway_snapshot_replicas, snapshot, KEY, NULL, 3, &n, &revision);
    REFUSES("n_nodes", shardway_snapshot_replicas, snapshot, KEY, nodes, 3, NULL, &revision);
    REFUSES("snapshot", shardway_snapshot_replicas_typed, NULL, &key, nodes, 3, &n, &revision);
    REFUSES("key", shardway_snapshot_replicas_typed, snapshot, NULL, nodes, 3, &n, &revision);
    REFUSES("nodes", shardway_snapshot_replicas_typed, snapshot, &key, NULL, 3, &n, &revision);
    REFUSES("n_nodes", shardway_snapshot_replicas_typed, snapshot, &key, nodes, 3, NULL, &revision);
    REFUSES("snapshot", shardway_snapshot_group, NULL, "k", 1, offsets, 1, &groups);
    REFUSES("data", shardway_snapshot_group, snapshot, NULL, 1, offsets, 1, &groups);
    REFUSES("offsets", shardway_snapshot_group, snapshot, "k", 1, NULL, 1, &groups);
    REFUSES("groups", shardway_snapshot_group, snapshot, "k", 1, offsets, 1, NULL);
    REFUSES("snapshot", shardway_snapshot_group_large, NULL, "k", 1, large, 1, &groups);
    REFUSES("data", shardway_snapshot_group_large, snapshot, NULL, 1, large, 1, &groups);
    REFUSES("offsets", shardway_snapshot_group_large, snapshot, "k", 1, NULL, 1, &groups);
    REFUSES("groups", shardway_snapshot_group_large, snapshot, "k", 1, large, 1, NULL);
    REFUSES("snapshot", shardway_snapshot_group_hashes, NULL, large, 2, &groups);
    REFUSES("hashes", shardway_snapshot_group_hashes, snapshot, NULL, 2, &groups);
    REFUSES("groups", shardway_snapshot_group_hashes, snapshot, large, 2, NULL);
    REFUSES("snapshot", shardway_snapshot_explain, NULL, KEY, SHARDWAY_EXPLAIN_TEXT, &text);
    REFUSES("key", shardway_snapshot_explain, snapshot, NOWHERE, SHARDWAY_EXPLAIN_TEXT, &text);
    REFUSES("text", shardway_snapshot_explain, snapshot, KEY, SHARDWAY_EXPLAIN_TEXT, NULL);
    REFUSES("snapshot", shardway_snapshot_explain_typed, NULL, &key, SHARDWAY_EXPLAIN_JSON, &text);
    REFUSES("key", shardway_snapshot_explain_typed, snapshot, NULL, SHARDWAY_EXPLAIN_JSON, &text);
    REFUSES("text", shardway_snapshot_explain_typed, snapshot, &key, SHARDWAY_EXPLAIN_JSON, NULL);

    CHECK(about.id == NULL && id == NULL && topology == NULL && partitions == NULL && groups == NULL && text == NULL);
    CHECK(node == 99 && nodes[0] == 99 && revision == 99 && answer == 99 && n == 99);

    OK(shardway_snapshot_route(snapshot, KEY, &node, NULL, &error));
    OK(shardway_snapshot_route_typed(snapshot, &key, &node, NULL, &error));
    OK(shardway_snapshot_route_hash(snapshot, 1, &node, NULL, &error));
    OK(shardway_snapshot_replicas(snapshot, KEY, nodes, 3, &n, NULL, &error));
    OK(shardway_snapshot_replicas_typed(snapshot, &key, nodes, 3, &n, NULL, &error));
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}

void test_null_groups(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = NULL;
    shardway_groups_t *groups = NULL;
    const uint32_t *indices = NULL;
    uint32_t node = 99, offsets[2] = {0, 1};
    size_t n = 99;

    OK(shardway_router_group(router, "k", 1, offsets, 1, &groups, &error));
    REFUSES("groups", shardway_groups_get, NULL, 0, &node, &indices, &n);
    REFUSES("node", shardway_groups_get, groups, 0, NULL, &indices, &n);
    REFUSES("indices", shardway_groups_get, groups, 0, &node, NULL, &n);
    REFUSES("n_indices", shardway_groups_get, groups, 0, &node, &indices, NULL);
    REFUSES("groups", shardway_groups_snapshot, NULL, &snapshot);
    REFUSES("snapshot", shardway_groups_snapshot, groups, NULL);
    CHECK(snapshot == NULL && indices == NULL && node == 99 && n == 99);
    shardway_groups_free(groups);
    shardway_router_free(router);
}

void test_null_partitions(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_partitions_t *partitions = NULL, *out = NULL;
    shardway_partition_table_t *table = NULL;
    shardway_instance_t own = {sizeof own, 0, 1, 7, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0}, hollow = own;
    shardway_left_out_t left = {sizeof left, 99, 0, NULL, 0};
    shardway_partition_stats_t stats = {sizeof stats, 99, 0, 0, 0};
    const uint32_t *nodes = NULL;
    const int32_t *ids = NULL;
    int32_t room[1] = {99}, answer = 99;
    size_t n = 99;

    REFUSES("instances", shardway_partitions_build, NULL, 1, &out);
    REFUSES("partitions", shardway_partitions_build, &own, 1, NULL);
    hollow.serves = SHARDWAY_SERVES_LIST;
    hollow.n_list = 1;
    REFUSES("instances[0].list", shardway_partitions_build, &hollow, 1, &out);
    hollow.serves = SHARDWAY_SERVES_FAILED;
    hollow.reason_length = 1;
    REFUSES("instances[0].reason", shardway_partitions_build, &hollow, 1, &out);
    OK(shardway_partitions_build(&own, 1, &partitions, &error));
    REFUSES("partitions", shardway_partitions_ids, NULL, room, 1, &n);
    REFUSES("ids", shardway_partitions_ids, partitions, NULL, 1, &n);
    REFUSES("n_ids", shardway_partitions_ids, partitions, room, 1, NULL);
    REFUSES("partitions", shardway_partitions_nodes_of, NULL, 7, &nodes, &n);
    REFUSES("nodes", shardway_partitions_nodes_of, partitions, 7, NULL, &n);
    REFUSES("n_nodes", shardway_partitions_nodes_of, partitions, 7, &nodes, NULL);
    REFUSES("partitions", shardway_partitions_of_node, NULL, 0, &ids, &n);
    REFUSES("ids", shardway_partitions_of_node, partitions, 0, NULL, &n);
    REFUSES("n_ids", shardway_partitions_of_node, partitions, 0, &ids, NULL);
    REFUSES("partitions", shardway_partitions_left_out, NULL, 0, &left);
    REFUSES("left_out", shardway_partitions_left_out, partitions, 0, NULL);

    REFUSES("partition_table", shardway_partition_table_new, NULL);
    OK(shardway_partition_table_new(&table, &error));
    REFUSES("partition_table", shardway_partition_table_update, NULL, &own, 1, &answer);
    REFUSES("instances", shardway_partition_table_update, table, NULL, 1, &answer);
    REFUSES("partition_table", shardway_partition_table_update_failed, NULL);
    REFUSES("partition_table", shardway_partition_table_current, NULL, &out);
    REFUSES("partitions", shardway_partition_table_current, table, NULL);
    REFUSES("partition_table", shardway_partition_table_stats, NULL, &stats);
    REFUSES("stats", shardway_partition_table_stats, table, NULL);
    OK(shardway_partition_table_update(table, &own, 1, NULL, &error));

    CHECK(out == NULL && nodes == NULL && ids == NULL && left.node == 99 && stats.partition_updates == 99);
    CHECK(room[0] == 99 && answer == 99 && n == 99);
    shardway_partition_table_free(table);
    shardway_partitions_free(partitions);
}
