/* The smallest harness: a test is a function, a check that fails is told and counted. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

#include "shardway.h"

extern size_t n_checks, n_failures;

/* How much to do: 1 in full, a divisor when memory is being watched. */
extern size_t slower;

int check_that(int holds, const char *what, const char *file, int line);
int check_status(shardway_status_t got, shardway_status_t wanted, const shardway_error_t *error, const char *place,
                 const char *what, const char *file, int line);

#define CHECK(what) check_that((what) ? 1 : 0, #what, __FILE__, __LINE__)

/* `call` uses a shardway_error_t named `error`. */
#define OK(call) check_status((call), SHARDWAY_OK, &error, NULL, #call, __FILE__, __LINE__)

/* `call` answers `status` and tells `place`. */
#define FAILS(status, place, call) check_status((call), (status), &error, (place), #call, __FILE__, __LINE__)

/* `function` refuses its arguments because of `place`, with an error struct and without. */
#define REFUSES(place, function, ...)                                                                                  \
    do {                                                                                                               \
        shardway_error_t error = SHARDWAY_ERROR_INIT;                                                                  \
        check_status(function(__VA_ARGS__, &error), SHARDWAY_INVALID_ARGUMENT, &error, (place), #function, __FILE__,   \
                     __LINE__);                                                                                        \
        check_status(function(__VA_ARGS__, NULL), SHARDWAY_INVALID_ARGUMENT, NULL, NULL, #function, __FILE__,          \
                     __LINE__);                                                                                        \
    } while (0)

/* A pointer and a length, for parameters that take both. */
#define TEXT(literal) (literal), (sizeof(literal) - 1)

#define RING(nodes) "{\"format\": 1, \"scheme\": {\"native\": \"ring-v1\"}, \"nodes\": [" nodes "]}"
#define THREE RING("{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\", \"weight\": 2}")
#define FOUR RING("{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\", \"weight\": 2}, {\"id\": \"d\"}")

/* What most tests begin with; they end the program when they cannot. */
shardway_topology_t *topology_of(const char *json, size_t length);
shardway_router_t *router_of(const char *json, size_t length);
shardway_snapshot_t *snapshot_of(const shardway_router_t *router);

void test_versions(void);
void test_error_struct(void);
void test_panic(void);
void test_null_handles(void);
void test_null_topology(void);
void test_null_router(void);
void test_null_snapshot(void);
void test_null_groups(void);
void test_null_partitions(void);
void test_topology_readers(void);
void test_topology_refusals(void);
void test_topology_bounds(void);
void test_struct_sizes(void);
void test_lookups_agree(void);
void test_odd_keys(void);
void test_typed_keys(void);
void test_route_id_room(void);
void test_replicas(void);
void test_group_batches(void);
void test_group_refusals(void);
void test_explain(void);
void test_publish(void);
void test_eject_and_revive(void);
void test_empty_ring(void);
void test_health(void);
void test_tick_keeps_what_does_not_fit(void);
void test_old_snapshot_stays(void);
void test_free_in_any_order(void);
void test_declared_partitions(void);
void test_built_partitions(void);
void test_partition_table(void);
void test_threads(void);
void test_fork(void);
void test_memory_is_flat(void);

#endif
