/* What changes a router: publish, eject and revive, outcomes and time. */

#include "check.h"

/* The owners of 300 keys. */
enum { n_owners = 300 };

static void owners_of(const shardway_router_t *router, uint32_t *owners) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    for (unsigned i = 0; i < n_owners; i++) {
        char key[16];
        OK(shardway_router_route(router, key, (size_t)sprintf(key, "key%u", i), &owners[i], NULL, &error));
    }
}

static shardway_stats_t stats_of(const shardway_router_t *router) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_stats_t stats = {sizeof stats, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(shardway_router_stats(router, &stats, &error));
    return stats;
}

void test_publish(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE)), *clone = shardway_router_clone(router);
    shardway_topology_t *three = topology_of(TEXT(THREE)), *four = topology_of(TEXT(FOUR));
    shardway_topology_t *none = topology_of(TEXT(RING("")));
    shardway_topology_t *fifth = topology_of(
        TEXT("{\"format\": 1, \"revision\": 5, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [{\"id\": \"a\"}]}"));
    shardway_topology_t *fourth = topology_of(
        TEXT("{\"format\": 1, \"revision\": 4, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [{\"id\": \"a\"}]}"));
    shardway_topology_t *other = topology_of(
        TEXT("{\"format\": 1, \"revision\": 5, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [{\"id\": \"b\"}]}"));
    uint32_t before[n_owners], after[n_owners];
    int32_t result = 99;

    owners_of(router, before);
    OK(shardway_router_publish(router, three, &result, &error));
    CHECK(result == SHARDWAY_PUBLISH_UNCHANGED);
    OK(shardway_router_publish(router, four, &result, &error));
    CHECK(result == SHARDWAY_PUBLISH_PUBLISHED);
    owners_of(clone, after);
    size_t moved = 0;
    for (size_t i = 0; i < n_owners; i++) {
        /* a, b and c keep their indices here; what moves, moves to d. */
        moved += before[i] != after[i];
        CHECK(before[i] == after[i] || after[i] == 3);
    }
    CHECK(moved > 20 && moved < 120);
    OK(shardway_router_publish(router, none, &result, &error));
    CHECK(result == SHARDWAY_PUBLISH_KEPT_OLD);
    OK(shardway_router_publish(router, fifth, &result, &error));
    CHECK(result == SHARDWAY_PUBLISH_PUBLISHED);
    result = 99;
    FAILS(SHARDWAY_STALE_REVISION, "revision", shardway_router_publish(router, fourth, &result, &error));
    FAILS(SHARDWAY_REVISION_CONFLICT, "revision", shardway_router_publish(router, other, &result, &error));
    CHECK(result == 99);

    shardway_stats_t stats = stats_of(clone);
    CHECK(stats.nodes == 1 && stats.live_nodes == 1 && stats.dead_nodes == 0 && stats.revision == 5);
    CHECK(stats.joins == 4 && stats.leaves == 3 && stats.redistributes == 3 && stats.update_failures == 1);
    CHECK(stats.fingerprint == shardway_topology_fingerprint(fifth) && stats.points > 0);
    shardway_topology_t *all[] = {three, four, none, fifth, fourth, other};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        shardway_topology_free(all[i]);
    }
    shardway_router_free(router);
    shardway_router_free(clone);
}

void test_eject_and_revive(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(FOUR));
    shardway_snapshot_t *snapshot = NULL;
    uint32_t before[n_owners], after[n_owners];
    int32_t changed = 99, ejected = 99;

    owners_of(router, before);
    OK(shardway_router_eject(router, TEXT("b"), &changed, &error));
    CHECK(changed == 1);
    OK(shardway_router_eject(router, TEXT("b"), &changed, &error));
    CHECK(changed == 0);
    owners_of(router, after);
    for (size_t i = 0; i < n_owners; i++) {
        CHECK(before[i] == 1 ? after[i] != 1 : after[i] == before[i]);
    }
    snapshot = snapshot_of(router);
    for (uint32_t node = 0; node < 4; node++) {
        OK(shardway_snapshot_is_ejected(snapshot, node, &ejected, &error));
        CHECK(ejected == (node == 1));
    }
    FAILS(SHARDWAY_INVALID_ARGUMENT, "index", shardway_snapshot_is_ejected(snapshot, 4, &ejected, &error));
    shardway_snapshot_free(snapshot);
    CHECK(stats_of(router).ejections == 1 && stats_of(router).dead_nodes == 1 && stats_of(router).live_nodes == 3);

    OK(shardway_router_revive(router, TEXT("b"), &changed, &error));
    CHECK(changed == 1);
    OK(shardway_router_revive(router, TEXT("b"), &changed, &error));
    CHECK(changed == 0);
    owners_of(router, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    CHECK(stats_of(router).revivals == 1 && stats_of(router).redistributes == 3);

    FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_router_eject(router, TEXT("nobody"), &changed, &error));
    FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_router_revive(router, NULL, 0, &changed, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "id", shardway_router_eject(router, TEXT("b\xff"), &changed, &error));
    shardway_router_free(router);
}

void test_empty_ring(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    const char *rings[] = {RING(""), RING("{\"id\": \"a\", \"weight\": 0}"), RING("{\"id\": \"a\"}")};
    const uint32_t offsets[] = {0, 1};
    const uint64_t hash = 5;
    for (size_t i = 0; i < 3; i++) {
        shardway_router_t *router = router_of(rings[i], strlen(rings[i]));
        shardway_groups_t *groups = NULL;
        shardway_text_t *text = NULL;
        uint32_t node = 99;
        size_t n = 99;
        if (i == 2) {
            OK(shardway_router_eject(router, TEXT("a"), NULL, &error));
        }
        FAILS(SHARDWAY_SHARD_NOT_AVAILABLE, "", shardway_router_route(router, TEXT("k"), &node, NULL, &error));
        FAILS(SHARDWAY_SHARD_NOT_AVAILABLE, "", shardway_router_route_hash(router, hash, &node, NULL, &error));
        FAILS(SHARDWAY_SHARD_NOT_AVAILABLE, "",
              shardway_router_replicas(router, TEXT("k"), &node, 1, &n, NULL, &error));
        FAILS(SHARDWAY_SHARD_NOT_AVAILABLE, "", shardway_router_group(router, "k", 1, offsets, 1, &groups, &error));
        FAILS(SHARDWAY_SHARD_NOT_AVAILABLE, "", shardway_router_group_hashes(router, &hash, 1, &groups, &error));
        CHECK(node == 99 && n == 99 && groups == NULL);
        OK(shardway_router_explain(router, TEXT("k"), SHARDWAY_EXPLAIN_JSON, &text, &error));
        CHECK(strstr(shardway_text_data(text), "\"owner\":null") != NULL);
        shardway_text_free(text);
        if (i == 2) {
            OK(shardway_router_revive(router, TEXT("a"), NULL, &error));
            OK(shardway_router_route(router, TEXT("k"), &node, NULL, &error));
            CHECK(node == 0);
        }
        shardway_router_free(router);
    }
}

#define ACCRUAL(nodes)                                                                                                 \
    "{\"format\": 1, \"scheme\": {\"native\": \"ring-v1\"}, \"eject_failed_host\": true, \"failure_accrual\": "        \
    "{\"consecutive_failures\": 2, \"backoff_min_ms\": 100, \"backoff_max_ms\": 100, \"probe_timeout_ms\": 50},"       \
    "\"nodes\": [" nodes "]}"

void test_health(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(ACCRUAL("{\"id\": \"a\"}, {\"id\": \"b\"}")));
    shardway_event_t event = {sizeof event, 0, 0, 0, 0, {0}}, events[4] = {{sizeof event, 0, 0, 0, 0, {0}}};
    int32_t admission = 99;
    uint64_t next = 0;
    size_t n = 99;

    OK(shardway_router_next_tick(router, &next, &error));
    CHECK(next == SHARDWAY_NO_TICK);
    OK(shardway_router_admit(router, TEXT("a"), 1000, &admission, &error));
    CHECK(admission == SHARDWAY_ADMISSION_SEND);
    OK(shardway_router_report(router, TEXT("a"), SHARDWAY_OUTCOME_FAILURE, 1000, 1001, &event, &error));
    CHECK(event.kind == SHARDWAY_EVENT_NONE && event.node_length == 0);
    OK(shardway_router_report(router, TEXT("a"), SHARDWAY_OUTCOME_IGNORED, 1001, 1002, &event, &error));
    CHECK(event.kind == SHARDWAY_EVENT_NONE);
    OK(shardway_router_report(router, TEXT("a"), SHARDWAY_OUTCOME_FAILURE, 1002, 1003, &event, &error));
    CHECK(event.kind == SHARDWAY_EVENT_EJECTED && event.at_ms == 1003 && event.until_ms == 1103);
    CHECK(event.node_length == 1 && strcmp(event.node, "a") == 0);
    CHECK(stats_of(router).dead_nodes == 1);

    OK(shardway_router_admit(router, TEXT("a"), 1004, &admission, &error));
    CHECK(admission == SHARDWAY_ADMISSION_FAIL_FAST);
    OK(shardway_router_next_tick(router, &next, &error));
    CHECK(next == 1103);
    OK(shardway_router_tick(router, 1102, events, 4, &n, &error));
    CHECK(n == 0);
    OK(shardway_router_tick(router, 1103, events, 4, &n, &error));
    CHECK(n == 1 && events[0].kind == SHARDWAY_EVENT_PROBING && strcmp(events[0].node, "a") == 0);
    CHECK(stats_of(router).dead_nodes == 0 && stats_of(router).revivals == 1);
    OK(shardway_router_admit(router, TEXT("a"), 1104, &admission, &error));
    CHECK(admission == SHARDWAY_ADMISSION_PROBE);
    OK(shardway_router_admit(router, TEXT("a"), 1104, &admission, &error));
    CHECK(admission == SHARDWAY_ADMISSION_FAIL_FAST);
    OK(shardway_router_report(router, TEXT("a"), SHARDWAY_OUTCOME_SUCCESS, 1104, 1105, &event, &error));
    CHECK(event.kind == SHARDWAY_EVENT_REVIVED);
    OK(shardway_router_admit(router, TEXT("a"), 1106, &admission, &error));
    CHECK(admission == SHARDWAY_ADMISSION_SEND);

    for (int32_t outcome = -1; outcome <= 3; outcome += 4) {
        FAILS(SHARDWAY_INVALID_ARGUMENT, "outcome",
              shardway_router_report(router, TEXT("a"), outcome, 1, 1, &event, &error));
    }
    FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_router_admit(router, TEXT("x"), 1, &admission, &error));
    FAILS(SHARDWAY_UNKNOWN_NODE, "id",
          shardway_router_report(router, TEXT("x"), SHARDWAY_OUTCOME_SUCCESS, 1, 1, &event, &error));
    shardway_router_free(router);
}

/* Five dead nodes, an array of two: every event comes once, in order. */
void test_tick_keeps_what_does_not_fit(void) {
    static const char *ids[] = {"a", "b", "c", "d", "e"};
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router =
        router_of(TEXT(ACCRUAL("{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\"}, {\"id\": \"d\"}, {\"id\": \"e\"}")));
    for (int round = 0; round < 2; round++) {
        uint64_t now = round == 0 ? 1000 : 5000;
        shardway_event_t events[2] = {{sizeof events[0], 0, 0, 0, 0, {0}}};
        size_t n = 99, seen = 0;
        for (size_t i = 0; i < 10; i++) {
            OK(shardway_router_report(router, ids[i / 2], 1, SHARDWAY_OUTCOME_FAILURE, now, now, NULL, &error));
        }
        if (round == 1) {
            /* Nobody wants them. */
            OK(shardway_router_tick(router, now + 200, NULL, 0, &n, &error));
            CHECK(n == 0);
            OK(shardway_router_tick(router, now + 200, events, 2, &n, &error));
            CHECK(n == 0);
            continue;
        }
        do {
            OK(shardway_router_tick(router, now + 200, events, 2, &n, &error));
            for (size_t i = 0; i < n; i++, seen++) {
                CHECK(events[i].struct_size == sizeof events[0] && events[i].kind == SHARDWAY_EVENT_PROBING);
                CHECK(seen < 5 && strcmp(events[i].node, ids[seen]) == 0);
            }
        } while (n == 2);
        CHECK(seen == 5);
    }
    shardway_router_free(router);
}

void test_old_snapshot_stays(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *old = snapshot_of(router), *clone = shardway_snapshot_clone(old);
    shardway_topology_t *four = topology_of(TEXT(FOUR)), *back = NULL;
    shardway_node_t node = {sizeof node, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0};
    uint32_t before = 99, after = 99;
    int32_t ejected = 99;

    OK(shardway_snapshot_route(old, TEXT("user:42"), &before, NULL, &error));
    OK(shardway_router_publish(router, four, NULL, &error));
    OK(shardway_router_eject(router, TEXT("a"), NULL, &error));
    shardway_router_free(router);
    shardway_snapshot_free(old);
    OK(shardway_snapshot_route(clone, TEXT("user:42"), &after, NULL, &error));
    OK(shardway_snapshot_is_ejected(clone, 0, &ejected, &error));
    OK(shardway_snapshot_node(clone, 2, &node, &error));
    CHECK(before == after && ejected == 0 && shardway_snapshot_node_count(clone) == 3);
    CHECK(node.id_length == 1 && node.id[0] == 'c' && node.weight == 2);
    FAILS(SHARDWAY_INVALID_ARGUMENT, "index", shardway_snapshot_node(clone, 3, &node, &error));
    OK(shardway_snapshot_topology(clone, &back, &error));
    CHECK(shardway_topology_fingerprint(back) == shardway_snapshot_fingerprint(clone));
    CHECK(shardway_topology_fingerprint(four) != shardway_snapshot_fingerprint(clone));
    shardway_topology_free(back);
    shardway_topology_free(four);
    shardway_snapshot_free(clone);
}

void test_free_in_any_order(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    const uint32_t offsets[] = {0, 1, 2};
    for (unsigned order = 0; order < 6; order++) {
        shardway_router_t *router = router_of(TEXT(THREE));
        shardway_snapshot_t *snapshot = snapshot_of(router);
        shardway_groups_t *groups = NULL;
        OK(shardway_snapshot_group(snapshot, "ab", 2, offsets, 2, &groups, &error));
        for (unsigned step = 0; step < 3; step++) {
            switch ((order % 2 == 0 ? step + order / 2 : order / 2 + 6 - step) % 3) {
            case 0: shardway_router_free(router); break;
            case 1: shardway_snapshot_free(snapshot); break;
            default: shardway_groups_free(groups); break;
            }
        }
    }
}
