/* Readers on many threads while one publishes: every answer is that of the snapshot it names. And a fork. */

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { n_readers = 4, n_keys = 64 };

struct shared {
    shardway_router_t *router;
    /* Revisions alternate between the two rings: odd ones have three nodes, even ones four. */
    uint32_t owners[2][n_keys];
    atomic_int stop;
};

struct reader {
    struct shared *shared;
    shardway_router_t *own;
    size_t answers, wrong;
};

static size_t key_of(unsigned number, char *key) {
    return (size_t)sprintf(key, "key%u", number);
}

/* The harness counts without a lock, so readers count for themselves. */
static void *read_on(void *argument) {
    struct reader *reader = argument;
    const shardway_router_t *router = reader->own;
    for (unsigned round = 0; !atomic_load(&reader->shared->stop) || round < 100; round++) {
        unsigned number = round % n_keys;
        uint32_t node = 99, by_snapshot = 99;
        uint64_t revision = 0, snapshot_revision = 0;
        char key[16];
        size_t length = key_of(number, key);
        if (shardway_router_route(router, key, length, &node, &revision, NULL) != SHARDWAY_OK ||
            node != reader->shared->owners[revision % 2][number]) {
            reader->wrong++;
        }
        shardway_snapshot_t *snapshot = NULL;
        shardway_groups_t *groups = NULL;
        const uint32_t offsets[] = {0, (uint32_t)length};
        if (shardway_router_snapshot(router, &snapshot, NULL) != SHARDWAY_OK ||
            shardway_snapshot_route(snapshot, key, length, &by_snapshot, &snapshot_revision, NULL) != SHARDWAY_OK ||
            snapshot_revision != shardway_snapshot_revision(snapshot) ||
            by_snapshot != reader->shared->owners[snapshot_revision % 2][number] ||
            shardway_snapshot_node_count(snapshot) != 4 - snapshot_revision % 2) {
            reader->wrong++;
        }
        if (shardway_router_group(router, key, length, offsets, 1, &groups, NULL) != SHARDWAY_OK ||
            shardway_groups_nodes(groups)[0] !=
                reader->shared->owners[shardway_groups_revision(groups) % 2][number]) {
            reader->wrong++;
        }
        shardway_groups_free(groups);
        shardway_snapshot_free(snapshot);
        reader->answers += 3;
    }
    shardway_router_free(reader->own);
    return NULL;
}

void test_threads(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    struct shared shared = {router_of(TEXT(THREE)), {{0}}, 0};
    shardway_topology_t *rings[2] = {topology_of(TEXT(FOUR)), topology_of(TEXT(THREE))};
    struct reader readers[n_readers];
    pthread_t threads[n_readers];
    size_t n_publishes = 100 + 2000 / slower, answers = 0, wrong = 0;

    for (int ring = 0; ring < 2; ring++) {
        shardway_router_t *router = NULL;
        OK(shardway_router_new(rings[ring], 1, &router, &error));
        for (unsigned number = 0; number < n_keys; number++) {
            char key[16];
            size_t length = key_of(number, key);
            OK(shardway_router_route(router, key, length, &shared.owners[ring][number], NULL, &error));
        }
        shardway_router_free(router);
    }
    for (size_t i = 0; i < n_readers; i++) {
        readers[i] = (struct reader){&shared, shardway_router_clone(shared.router), 0, 0};
        if (!CHECK(pthread_create(&threads[i], NULL, read_on, &readers[i]) == 0)) {
            exit(EXIT_FAILURE);
        }
    }
    for (size_t i = 0; i < n_publishes; i++) {
        int32_t result = 99;
        OK(shardway_router_publish(shared.router, rings[i % 2], &result, &error));
        CHECK(result == SHARDWAY_PUBLISH_PUBLISHED);
    }
    atomic_store(&shared.stop, 1);
    for (size_t i = 0; i < n_readers; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        answers += readers[i].answers;
        wrong += readers[i].wrong;
    }
    CHECK(wrong == 0 && answers >= n_readers * 300);
    printf("      %zu answers on %d threads during %zu publishes, %zu wrong\n", answers, (int)n_readers, n_publishes,
           wrong);
    shardway_router_free(shared.router);
    shardway_topology_free(rings[0]);
    shardway_topology_free(rings[1]);
}

/* A child may use what it inherited, and changes there are its own. */
void test_fork(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_router_t *router = router_of(TEXT(THREE));
    shardway_topology_t *four = topology_of(TEXT(FOUR));
    uint32_t node = 99;
    int state = 0;
    OK(shardway_router_route(router, TEXT("user:42"), &node, NULL, &error));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        uint32_t inherited = 99;
        uint64_t revision = 0;
        int fine = shardway_router_route(router, TEXT("user:42"), &inherited, NULL, &error) == SHARDWAY_OK &&
                   inherited == node && shardway_router_publish(router, four, NULL, &error) == SHARDWAY_OK &&
                   shardway_router_route(router, TEXT("user:42"), &inherited, &revision, &error) == SHARDWAY_OK &&
                   revision == 2;
        shardway_topology_free(four);
        shardway_router_free(router);
        exit(fine ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    shardway_stats_t stats = {sizeof stats, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(shardway_router_stats(router, &stats, &error));
    CHECK(stats.revision == 1 && stats.nodes == 3);
    shardway_topology_free(four);
    shardway_router_free(router);
}
