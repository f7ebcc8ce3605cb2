/* Logical partitions: declared by a topology, built of instances, kept in a table. */

#include "check.h"

#define DECLARED                                                                                                       \
    "{\"format\": 1, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [{\"id\": \"a\", \"shard_id\": 0},"             \
    "{\"id\": \"b\", \"shard_id\": 1}, {\"id\": \"c\"}, {\"id\": \"d\", \"shard_id\": 9}],"                            \
    "\"partitions\": [{\"shard_id\": 0, \"serves\": [0, 1]}, {\"shard_id\": 1, \"serves\": [-4, 1]}]}"

static int same_ids(const int32_t *ids, size_t n, const int32_t *wanted, size_t n_wanted) {
    return n == n_wanted && (n == 0 || memcmp(ids, wanted, n * sizeof ids[0]) == 0);
}

static int same_nodes(const uint32_t *nodes, size_t n, const uint32_t *wanted, size_t n_wanted) {
    return n == n_wanted && (n == 0 || memcmp(nodes, wanted, n * sizeof nodes[0]) == 0);
}

void test_declared_partitions(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(DECLARED));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    shardway_partitions_t *partitions = NULL;
    shardway_left_out_t left = {sizeof left, 0, 0, NULL, 0};
    const uint32_t *nodes = NULL;
    const int32_t *of_node = NULL;
    int32_t ids[4] = {99, 99, 99, 99};
    size_t n = 0;

    OK(shardway_snapshot_partitions(snapshot, &partitions, &error));
    /* They keep the snapshot alive. */
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
    CHECK(shardway_partitions_count(partitions) == 3);
    OK(shardway_partitions_ids(partitions, ids, 4, &n, &error));
    CHECK(same_ids(ids, n, (const int32_t[]){-4, 0, 1}, 3) && ids[3] == 99);
    OK(shardway_partitions_ids(partitions, ids, 1, &n, &error));
    CHECK(n == 1);
    OK(shardway_partitions_ids(partitions, NULL, 0, &n, &error));
    CHECK(n == 0);
    OK(shardway_partitions_nodes_of(partitions, 1, &nodes, &n, &error));
    CHECK(same_nodes(nodes, n, (const uint32_t[]){0, 1}, 2));
    OK(shardway_partitions_of_node(partitions, 1, &of_node, &n, &error));
    CHECK(same_ids(of_node, n, (const int32_t[]){-4, 1}, 2));
    OK(shardway_partitions_of_node(partitions, 2, &of_node, &n, &error));
    CHECK(n == 0 && of_node == NULL);
    n = 77;
    FAILS(SHARDWAY_NO_PARTITION, NULL, shardway_partitions_nodes_of(partitions, 5, &nodes, &n, &error));
    CHECK(n == 77);

    CHECK(shardway_partitions_left_out_count(partitions) == 2);
    OK(shardway_partitions_left_out(partitions, 0, &left, &error));
    CHECK(left.node == 2 && left.code == SHARDWAY_NO_SHARD_ID && left.reason_length > 0 && left.reason != NULL);
    OK(shardway_partitions_left_out(partitions, 1, &left, &error));
    CHECK(left.node == 3 && left.code == SHARDWAY_PARTITIONING_STRATEGY);
    FAILS(SHARDWAY_INVALID_ARGUMENT, "index", shardway_partitions_left_out(partitions, 2, &left, &error));
    shardway_partitions_t *clone = shardway_partitions_clone(partitions);
    shardway_partitions_free(partitions);
    CHECK(shardway_partitions_count(clone) == 3);
    shardway_partitions_free(clone);
}

void test_built_partitions(void) {
    const int32_t two[] = {5, 3, 5};
    shardway_instance_t instances[] = {
        {sizeof instances[0], 10, 1, 7, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0},
        {sizeof instances[0], 11, 1, 8, SHARDWAY_SERVES_LIST, two, 3, NULL, 0},
        {sizeof instances[0], 12, 1, 9, SHARDWAY_SERVES_FAILED, NULL, 0, TEXT("boom")},
        {sizeof instances[0], 13, 0, 0, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0},
        {sizeof instances[0], 14, 1, 6, SHARDWAY_SERVES_LIST, NULL, 0, NULL, 0},
    };
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_partitions_t *partitions = NULL;
    shardway_left_out_t left = {sizeof left, 0, 0, NULL, 0};
    int32_t ids[8];
    size_t n = 0;

    OK(shardway_partitions_build(instances, 5, &partitions, &error));
    OK(shardway_partitions_ids(partitions, ids, 8, &n, &error));
    CHECK(same_ids(ids, n, (const int32_t[]){3, 5, 7}, 3));
    CHECK(shardway_partitions_left_out_count(partitions) == 2);
    OK(shardway_partitions_left_out(partitions, 0, &left, &error));
    CHECK(left.node == 12 && left.reason_length >= 4);
    CHECK(memcmp(left.reason + left.reason_length - 4, "boom", 4) == 0);
    OK(shardway_partitions_left_out(partitions, 1, &left, &error));
    CHECK(left.node == 13 && left.code == SHARDWAY_NO_SHARD_ID);
    shardway_partitions_free(partitions);

    partitions = NULL;
    instances[1].serves = 3;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "instances[1].serves", shardway_partitions_build(instances, 5, &partitions, &error));
    instances[1].serves = SHARDWAY_SERVES_OWN;
    instances[2].reason = "\xff";
    instances[2].reason_length = 1;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "instances[2].reason", shardway_partitions_build(instances, 5, &partitions, &error));
    instances[0].has_shard_id = 2;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "instances[0].has_shard_id",
          shardway_partitions_build(instances, 5, &partitions, &error));
    CHECK(partitions == NULL);
    OK(shardway_partitions_build(NULL, 0, &partitions, &error));
    CHECK(shardway_partitions_count(partitions) == 0);
    shardway_partitions_free(partitions);
}

void test_partition_table(void) {
    shardway_instance_t own = {sizeof own, 0, 1, 7, SHARDWAY_SERVES_OWN, NULL, 0, NULL, 0}, failed = own;
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_partition_table_t *table = NULL;
    shardway_partitions_t *held = NULL, *now = NULL;
    shardway_partition_stats_t stats = {sizeof stats, 0, 0, 0, 0};
    int32_t updated = 99;
    failed.serves = SHARDWAY_SERVES_FAILED;

    OK(shardway_partition_table_new(&table, &error));
    OK(shardway_partition_table_current(table, &held, &error));
    CHECK(shardway_partitions_count(held) == 0);
    shardway_partitions_free(held);
    OK(shardway_partition_table_update(table, NULL, 0, &updated, &error));
    CHECK(updated == 0);
    OK(shardway_partition_table_update(table, &own, 1, &updated, &error));
    CHECK(updated == 1);
    OK(shardway_partition_table_current(table, &held, &error));
    /* An empty map keeps the old one. */
    OK(shardway_partition_table_update(table, &failed, 1, &updated, &error));
    CHECK(updated == 0);
    OK(shardway_partition_table_update_failed(table, &error));
    OK(shardway_partition_table_current(table, &now, &error));
    CHECK(shardway_partitions_count(held) == 1 && shardway_partitions_count(now) == 1);
    OK(shardway_partition_table_stats(table, &stats, &error));
    CHECK(stats.partition_updates == 1 && stats.snap_updates == 1 && stats.update_failures == 3 && stats.nodes == 1);

    shardway_partition_table_t *clone = shardway_partition_table_clone(table);
    shardway_partition_table_free(table);
    OK(shardway_partition_table_stats(clone, &stats, &error));
    shardway_partition_table_free(clone);
    shardway_partitions_free(held);
    shardway_partitions_free(now);
}
