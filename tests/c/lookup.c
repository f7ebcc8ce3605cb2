/* Lookups: one key, many keys, odd keys, typed keys, explanations. */

#include <stdlib.h>

#include "check.h"

void test_lookups_agree(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    size_t owned[3] = {0, 0, 0};
    CHECK(shardway_snapshot_node_count(snapshot) == 3 && shardway_snapshot_point_count(snapshot) > 400);
    for (unsigned number = 0; number < 1000; number++) {
        char key[32], id[SHARDWAY_NODE_ID_CAPACITY];
        const char *lent = NULL;
        size_t length = (size_t)sprintf(key, "user:%u", number), id_length = 0, lent_length = 0, n = 0;
        uint32_t node = 99, by_snapshot = 99, by_hash = 99, by_id = 99, replicas[1];
        uint64_t revision = 0, hash = 0;
        OK(shardway_router_route(router, key, length, &node, &revision, &error));
        CHECK(node < 3 && revision == shardway_snapshot_revision(snapshot));
        owned[node < 3 ? node : 0]++;
        OK(shardway_snapshot_route(snapshot, key, length, &by_snapshot, &revision, &error));
        OK(shardway_snapshot_hash(snapshot, key, length, &hash, &error));
        OK(shardway_snapshot_route_hash(snapshot, hash, &by_hash, NULL, &error));
        CHECK(node == by_snapshot && node == by_hash);
        OK(shardway_router_route_hash(router, hash, &by_hash, NULL, &error));
        OK(shardway_router_replicas(router, key, length, replicas, 1, &n, NULL, &error));
        CHECK(n == 1 && replicas[0] == node && by_hash == node);
        OK(shardway_router_route_id(router, key, length, id, sizeof id, &id_length, &revision, &error));
        OK(shardway_snapshot_node_id(snapshot, node, &lent, &lent_length, &error));
        CHECK(id_length == lent_length && memcmp(id, lent, lent_length) == 0 && id[id_length] == 0);
        OK(shardway_snapshot_index_of(snapshot, id, id_length, &by_id, &error));
        CHECK(by_id == node);
    }
    /* Weights 1, 1, 2 of 1,000 keys. */
    CHECK(owned[0] > 150 && owned[1] > 150 && owned[2] > 350);
    FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_snapshot_index_of(snapshot, TEXT("nobody"), &(uint32_t){0}, &error));
    FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_snapshot_index_of(snapshot, NULL, 0, &(uint32_t){0}, &error));
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}

void test_odd_keys(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    uint32_t node = 99, other = 99;
    uint64_t hash = 0, other_hash = 0;

    /* 0 bytes: the pointer is not looked at. xxh3-64 of nothing is a published number. */
    OK(shardway_router_route(router, NULL, 0, &node, NULL, &error));
    OK(shardway_router_route(router, (const void *)(uintptr_t)1, 0, &other, NULL, &error));
    CHECK(node < 3 && node == other);
    OK(shardway_snapshot_hash(snapshot, NULL, 0, &hash, &error));
    CHECK(hash == 0x2d06800538d394c2u);

    /* NUL bytes count. */
    OK(shardway_snapshot_hash(snapshot, "a\0b", 3, &hash, &error));
    OK(shardway_snapshot_hash(snapshot, "a\0c", 3, &other_hash, &error));
    CHECK(hash != other_hash);
    OK(shardway_snapshot_hash(snapshot, "a", 1, &other_hash, &error));
    CHECK(hash != other_hash);
    OK(shardway_router_route(router, "\0\0\0\xff", 4, &node, NULL, &error));
    CHECK(node < 3);

    /* 10 MB. */
    size_t length = 10 * 1000 * 1000;
    uint8_t *big = malloc(length);
    if (CHECK(big != NULL)) {
        memset(big, 'x', length);
        OK(shardway_router_route(router, big, length, &node, NULL, &error));
        OK(shardway_snapshot_hash(snapshot, big, length, &hash, &error));
        OK(shardway_snapshot_hash(snapshot, big, length - 1, &other_hash, &error));
        CHECK(node < 3 && hash != other_hash);
        free(big);
    }

    /* A length that no object has. */
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key", shardway_router_route(router, "k", SIZE_MAX, &node, NULL, &error));
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}

#define THRIFT                                                                                                         \
    "{\"format\": 1, \"scheme\": {\"profile\": \"finagle\", \"thrift_keys\": true}, \"nodes\": ["                      \
    "{\"id\": \"10.1.1.1:9090\"}, {\"id\": \"10.1.1.2:9090\"}, {\"id\": \"10.1.1.3:9090\"},"                           \
    "{\"id\": \"10.1.1.4:9090\"}, {\"id\": \"10.1.1.5:9090\"}]}"

void test_typed_keys(void) {
    /* Rows of tests/vectors/finagle_thrift_keys.json. */
    static const struct {
        int32_t kind;
        int64_t integer;
        const char *text;
        uint64_t hash;
        uint32_t owner;
    } rows[] = {
        {SHARDWAY_KEY_TEXT, 0, "", 2231358449u, 2},
        {SHARDWAY_KEY_TEXT, 0, "one", 714732520u, 4},
        {SHARDWAY_KEY_BYTES, 0, "user:42", 1246709643u, 1},
        {SHARDWAY_KEY_TEXT, 0, "\xe8\xae\xa2\xe5\x8d\x95", 3341791223u, 0},
        {SHARDWAY_KEY_I32, -1, "", 1090539429u, 4},
        {SHARDWAY_KEY_I32, INT32_MIN, "", 1727494584u, 2},
        {SHARDWAY_KEY_I64, -1, "", 2231358449u, 2},
        {SHARDWAY_KEY_I64, INT64_MAX, "", 1727494584u, 2},
        {SHARDWAY_KEY_I64, 4294967296, "", 100877809u, 1},
        {SHARDWAY_KEY_BOOL, 1, "", 989384405u, 3},
        {SHARDWAY_KEY_BOOL, 0, "", 2348264187u, 3},
    };
    enum { n_rows = sizeof rows / sizeof rows[0] };
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THRIFT));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    uint64_t hashes[n_rows];
    uint32_t node = 99;
    size_t n = 0;
    for (size_t row = 0; row < n_rows; row++) {
        shardway_key_t key = {sizeof key, rows[row].kind, 0, rows[row].integer, rows[row].text, strlen(rows[row].text)};
        uint32_t by_snapshot = 99, replicas[2] = {99, 99}, by_router[2] = {99, 99};
        OK(shardway_snapshot_hash_typed(snapshot, &key, &hashes[row], &error));
        OK(shardway_router_route_typed(router, &key, &node, NULL, &error));
        OK(shardway_snapshot_route_typed(snapshot, &key, &by_snapshot, NULL, &error));
        OK(shardway_snapshot_replicas_typed(snapshot, &key, replicas, 2, &n, NULL, &error));
        OK(shardway_router_replicas_typed(router, &key, by_router, 2, &n, NULL, &error));
        if (!CHECK(hashes[row] == rows[row].hash && node == rows[row].owner && by_snapshot == node) ||
            !CHECK(n == 2 && replicas[0] == node && replicas[1] != node && by_router[1] == replicas[1])) {
            printf("    row %zu\n", row);
        }
    }
    /* Many typed keys: by their hashes. */
    shardway_groups_t *groups = NULL;
    OK(shardway_snapshot_group_hashes(snapshot, hashes, n_rows, &groups, &error));
    CHECK(shardway_groups_key_count(groups) == n_rows && shardway_groups_nodes(groups)[0] == rows[0].owner);
    shardway_groups_free(groups);
    /* Text in a batch counts as text there. */
    OK(shardway_router_route(router, TEXT("one"), &node, NULL, &error));
    CHECK(node == 4);
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key", shardway_router_route(router, TEXT("\xff"), &node, NULL, &error));
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);

    /* Without thrift_keys an integer is its 8 bytes, whatever its width, and a truth value is no key. */
    uint8_t bytes[8] = {0};
    uint32_t by_bytes = 99;
    shardway_key_t key = {sizeof key, SHARDWAY_KEY_I32, 0, -2, NULL, 0};
    router = router_of(TEXT(THREE));
    OK(shardway_key_i64(-2, bytes, &error));
    CHECK(memcmp(bytes, "\xff\xff\xff\xff\xff\xff\xff\xfe", 8) == 0);
    OK(shardway_router_route(router, bytes, sizeof bytes, &by_bytes, NULL, &error));
    OK(shardway_router_route_typed(router, &key, &node, NULL, &error));
    CHECK(node == by_bytes);
    key.integer = 2147483648;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key.integer", shardway_router_route_typed(router, &key, &node, NULL, &error));
    key.kind = SHARDWAY_KEY_BOOL;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key.integer", shardway_router_route_typed(router, &key, &node, NULL, &error));
    key.integer = 1;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key", shardway_router_route_typed(router, &key, &node, NULL, &error));
    OK(shardway_key_thrift(&key, bytes, &error));
    CHECK(memcmp(bytes, "\0\0\x04\xcf", 4) == 0);
    key.kind = 5;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "key.kind", shardway_router_route_typed(router, &key, &node, NULL, &error));
    shardway_router_free(router);
}

void test_route_id_room(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(RING("{\"id\": \"abc\"}")));
    char id[4] = "zzz";
    size_t length = 99;
    for (size_t capacity = 0; capacity < 4; capacity++) {
        FAILS(SHARDWAY_INVALID_ARGUMENT, "id_capacity",
              shardway_router_route_id(router, TEXT("k"), id, capacity, &length, NULL, &error));
        CHECK(strcmp(id, "zzz") == 0 && length == 99);
    }
    OK(shardway_router_route_id(router, TEXT("k"), id, sizeof id, &length, NULL, &error));
    CHECK(strcmp(id, "abc") == 0 && length == 3);
    shardway_router_free(router);
}

void test_replicas(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(FOUR));
    uint32_t nodes[8];
    for (size_t wanted = 0; wanted <= 8; wanted++) {
        size_t n = 99;
        uint64_t revision = 0;
        memset(nodes, 0xee, sizeof nodes);
        OK(shardway_router_replicas(router, TEXT("user:42"), nodes, wanted, &n, &revision, &error));
        CHECK(n == (wanted < 4 ? wanted : 4) && revision == 1);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                CHECK(nodes[i] < 4 && nodes[i] != nodes[j]);
            }
        }
    }
    OK(shardway_router_replicas(router, TEXT("user:42"), NULL, 0, &(size_t){0}, NULL, &error));

    /* The next owner is the one that takes over when the owner is ejected; a snapshot taken before stays. */
    shardway_snapshot_t *snapshot = snapshot_of(router);
    uint32_t before[4], after[4];
    const char *id = NULL;
    size_t length = 0, n = 0;
    OK(shardway_snapshot_replicas(snapshot, TEXT("user:42"), before, 4, &n, NULL, &error));
    OK(shardway_snapshot_node_id(snapshot, before[0], &id, &length, &error));
    OK(shardway_router_eject(router, id, length, NULL, &error));
    OK(shardway_router_replicas(router, TEXT("user:42"), after, 4, &n, NULL, &error));
    CHECK(n == 3 && memcmp(after, before + 1, 3 * sizeof after[0]) == 0);
    OK(shardway_snapshot_replicas(snapshot, TEXT("user:42"), after, 4, &n, NULL, &error));
    CHECK(n == 4 && memcmp(after, before, sizeof after) == 0);
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}

void test_group_batches(void) {
    enum { n_keys = 10000 };
    static char data[n_keys * 12];
    static uint32_t offsets[n_keys + 1];
    static uint64_t large[n_keys + 1], hashes[n_keys];
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(FOUR));
    shardway_snapshot_t *snapshot = snapshot_of(router), *kept = NULL;
    shardway_groups_t *groups[6] = {NULL};

    for (uint32_t i = 0; i < n_keys; i++) {
        offsets[i + 1] = offsets[i] + (uint32_t)sprintf(data + offsets[i], "user:%u", i % 7000);
        large[i + 1] = offsets[i + 1];
        OK(shardway_snapshot_hash(snapshot, data + offsets[i], offsets[i + 1] - offsets[i], &hashes[i], &error));
    }
    size_t length = offsets[n_keys];
    OK(shardway_router_group(router, data, length, offsets, n_keys, &groups[0], &error));
    OK(shardway_router_group_large(router, data, length, large, n_keys, &groups[1], &error));
    OK(shardway_router_group_hashes(router, hashes, n_keys, &groups[2], &error));
    OK(shardway_snapshot_group(snapshot, data, length, offsets, n_keys, &groups[3], &error));
    OK(shardway_snapshot_group_large(snapshot, data, length, large, n_keys, &groups[4], &error));
    OK(shardway_snapshot_group_hashes(snapshot, hashes, n_keys, &groups[5], &error));
    shardway_router_free(router);
    shardway_snapshot_free(snapshot);

    for (size_t which = 0; which < 6; which++) {
        size_t n_groups = shardway_groups_count(groups[which]), seen = 0;
        const uint32_t *nodes = shardway_groups_nodes(groups[which]), *ends = shardway_groups_offsets(groups[which]);
        const uint32_t *all = shardway_groups_indices(groups[which]);
        uint32_t first_before = 0;
        CHECK(n_groups == 4 && shardway_groups_key_count(groups[which]) == n_keys && ends[n_groups] == n_keys);
        CHECK(shardway_groups_revision(groups[which]) == 1);
        OK(shardway_groups_snapshot(groups[which], &kept, &error));
        for (size_t group = 0; group < n_groups; group++) {
            uint32_t node = 99, owner = 99;
            const uint32_t *indices = NULL;
            size_t n = 0;
            OK(shardway_groups_get(groups[which], group, &node, &indices, &n, &error));
            CHECK(node == nodes[group] && indices == all + ends[group] && n == ends[group + 1] - ends[group]);
            CHECK(n > 0 && (group == 0 ? indices[0] == 0 : indices[0] > first_before));
            first_before = indices[0];
            for (size_t i = 0; i < n; i++) {
                uint32_t key = indices[i];
                OK(shardway_snapshot_route(kept, data + offsets[key], offsets[key + 1] - offsets[key], &owner, NULL,
                                           &error));
                CHECK(owner == node && (i == 0 || indices[i - 1] < key));
            }
            seen += n;
        }
        CHECK(seen == n_keys);
        FAILS(SHARDWAY_INVALID_ARGUMENT, "group",
              shardway_groups_get(groups[which], n_groups, &(uint32_t){0}, &all, &(size_t){0}, &error));
        shardway_snapshot_free(kept);
        shardway_groups_t *clone = shardway_groups_clone(groups[which]);
        shardway_groups_free(groups[which]);
        CHECK(shardway_groups_nodes(clone) == nodes && nodes[0] < 4);
        shardway_groups_free(clone);
    }
}

void test_group_refusals(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_groups_t *groups = NULL;
    const uint32_t falling[] = {0, 2, 1}, beyond[] = {0, 4}, sliced[] = {1, 2, 2, 3};
    const uint64_t far[] = {0, UINT64_MAX}, large_falling[] = {5, 4};
    uint64_t aligned[2] = {0, 0};
    const void *odd = (const char *)aligned + 1;

    /* No key: nothing is looked at. */
    OK(shardway_router_group(router, NULL, 0, NULL, 0, &groups, &error));
    CHECK(shardway_groups_count(groups) == 0 && shardway_groups_key_count(groups) == 0);
    CHECK(shardway_groups_nodes(groups) == NULL && shardway_groups_indices(groups) == NULL);
    CHECK(shardway_groups_offsets(groups) != NULL && shardway_groups_offsets(groups)[0] == 0);
    shardway_groups_free(groups);
    OK(shardway_router_group_hashes(router, NULL, 0, &groups, &error));
    shardway_groups_free(groups);
    OK(shardway_router_group_large(router, NULL, 9, NULL, 0, &groups, &error));
    shardway_groups_free(groups);

    /* Keys of 0 bytes without data; a slice of a longer column. */
    OK(shardway_router_group(router, NULL, 0, (const uint32_t[]){0, 0, 0}, 2, &groups, &error));
    CHECK(shardway_groups_count(groups) == 1 && shardway_groups_key_count(groups) == 2);
    shardway_groups_free(groups);
    OK(shardway_router_group(router, "abc", 3, sliced, 3, &groups, &error));
    CHECK(shardway_groups_key_count(groups) == 3);
    shardway_groups_free(groups);

    groups = NULL;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "offsets[2]", shardway_router_group(router, "abc", 3, falling, 2, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "offsets[1]", shardway_router_group(router, "abc", 3, beyond, 1, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "offsets[1]", shardway_router_group_large(router, "a", 1, far, 1, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "offsets[1]",
          shardway_router_group_large(router, "abcdef", 6, large_falling, 1, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "n_keys", shardway_router_group(router, "a", 1, beyond, SIZE_MAX, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "offsets",
          shardway_router_group(router, "a", 1, beyond, SIZE_MAX / 2, &groups, &error));
    FAILS(SHARDWAY_INVALID_ARGUMENT, "hashes", shardway_router_group_hashes(router, odd, 1, &groups, &error));
    CHECK(groups == NULL);
    shardway_router_free(router);
}

void test_explain(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_snapshot_t *snapshot = snapshot_of(router);
    shardway_key_t key = {sizeof key, SHARDWAY_KEY_TEXT, 0, 0, "user:42", 7};
    shardway_text_t *text[4] = {NULL};
    char id[SHARDWAY_NODE_ID_CAPACITY];

    OK(shardway_router_route_id(router, TEXT("user:42"), id, sizeof id, NULL, NULL, &error));
    OK(shardway_router_explain(router, TEXT("user:42"), SHARDWAY_EXPLAIN_TEXT, &text[0], &error));
    OK(shardway_snapshot_explain(snapshot, TEXT("user:42"), SHARDWAY_EXPLAIN_TEXT, &text[1], &error));
    OK(shardway_router_explain_typed(router, &key, SHARDWAY_EXPLAIN_JSON, &text[2], &error));
    OK(shardway_snapshot_explain_typed(snapshot, &key, SHARDWAY_EXPLAIN_JSON, &text[3], &error));
    CHECK(strcmp(shardway_text_data(text[0]), shardway_text_data(text[1])) == 0);
    CHECK(strcmp(shardway_text_data(text[2]), shardway_text_data(text[3])) == 0);
    CHECK(strstr(shardway_text_data(text[0]), id) != NULL && strstr(shardway_text_data(text[0]), "owner") != NULL);
    CHECK(shardway_text_data(text[2])[0] == '{' && strstr(shardway_text_data(text[2]), "\"owner\"") != NULL);
    for (size_t i = 0; i < 4; i++) {
        shardway_text_free(text[i]);
    }
    text[0] = NULL;
    FAILS(SHARDWAY_INVALID_ARGUMENT, "format", shardway_router_explain(router, TEXT("k"), 2, &text[0], &error));
    CHECK(text[0] == NULL);
    shardway_snapshot_free(snapshot);
    shardway_router_free(router);
}
