/* Versions, the error struct, the panic boundary. */

#include "check.h"

void test_versions(void) {
    CHECK(strcmp(shardway_version(), SHARDWAY_VERSION) == 0);
    CHECK(shardway_abi_version() == SHARDWAY_ABI_VERSION);
    CHECK(strcmp(shardway_status_name(SHARDWAY_OK), "OK") == 0);
    CHECK(strcmp(shardway_status_name(SHARDWAY_INVALID_TOPOLOGY), "InvalidTopology") == 0);
    CHECK(strcmp(shardway_status_name(SHARDWAY_INTERNAL), "Internal") == 0);
    CHECK(strcmp(shardway_status_name(12345), "Unknown") == 0);
    CHECK(strlen(shardway_status_advice(SHARDWAY_UNKNOWN_NODE)) > 10);
    CHECK(strlen(shardway_status_advice(-1)) > 10);
}

void test_error_struct(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL, *untouched = NULL;

    /* Not touched on success. */
    error.code = 77;
    strcpy(error.message, "as it was");
    CHECK(shardway_topology_from_json(TEXT(THREE), &topology, &error) == SHARDWAY_OK);
    CHECK(error.code == 77 && strcmp(error.message, "as it was") == 0);

    /* Filled in on failure; the output is not touched. */
    untouched = topology;
    FAILS(SHARDWAY_INVALID_TOPOLOGY, NULL, shardway_topology_from_json(TEXT("{"), &untouched, &error));
    CHECK(untouched == topology);
    CHECK(error.message_length == strlen(error.message));

    /* NULL is fine. */
    CHECK(shardway_topology_from_json(TEXT("{"), &untouched, NULL) == SHARDWAY_INVALID_TOPOLOGY);

    /* A size that was not set stops the call before it does anything. */
    for (size_t size = 0; size < sizeof error; size += 8) {
        shardway_error_t small = SHARDWAY_ERROR_INIT;
        small.struct_size = size;
        small.code = 77;
        CHECK(shardway_topology_from_json(TEXT(THREE), &untouched, &small) == SHARDWAY_INVALID_ARGUMENT);
        CHECK(untouched == topology && small.code == 77 && small.message[0] == 0);
    }

    /* A struct of a newer header is longer; what follows our part is not touched. */
    struct {
        shardway_error_t ours;
        char theirs[64];
    } newer = {SHARDWAY_ERROR_INIT, {0}};
    newer.ours.struct_size = sizeof newer;
    memset(newer.theirs, 7, sizeof newer.theirs);
    CHECK(shardway_topology_from_json(TEXT("{"), &untouched, &newer.ours) == SHARDWAY_INVALID_TOPOLOGY);
    CHECK(newer.ours.code == SHARDWAY_INVALID_TOPOLOGY && newer.theirs[0] == 7 && newer.theirs[63] == 7);

    /* A message that does not fit is cut between characters, and its length tells so. */
    char id[2 * SHARDWAY_ERROR_MESSAGE_CAPACITY + 1] = "x";
    for (size_t i = 1; i < sizeof id; i += 2) {
        memcpy(id + i, "\xc3\xa9", 2);
    }
    shardway_router_t *router = router_of(TEXT(THREE));
    for (size_t begin = 0; begin < 2; begin++) {
        FAILS(SHARDWAY_UNKNOWN_NODE, "id", shardway_router_eject(router, id + begin, sizeof id - begin, NULL, &error));
        size_t length = strlen(error.message);
        CHECK(error.message_length > sizeof id && length >= sizeof error.message - 2);
        CHECK((unsigned char)error.message[length - 1] == 0xa9);
    }

    shardway_router_free(router);
    shardway_topology_free(topology);
}

#ifdef SHARDWAY_PANIC_TEST
shardway_status_t shardway_test_panic(const char *message, size_t message_length, shardway_error_t *error);

void test_panic(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    uint32_t node = 99;
    for (int round = 0; round < 100; round++) {
        FAILS(SHARDWAY_INTERNAL, "", shardway_test_panic(TEXT("on demand"), &error));
        CHECK(strstr(error.message, "on demand") != NULL);
        CHECK(shardway_test_panic(TEXT("on demand"), NULL) == SHARDWAY_INTERNAL);
        OK(shardway_router_route(router, TEXT("user:42"), &node, NULL, &error));
        CHECK(node < 3);
    }
    shardway_router_free(router);
}
#endif
