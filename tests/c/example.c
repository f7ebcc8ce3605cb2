/* The smallest use: who owns a key, and the keys of a batch by owner. */

#include <shardway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(shardway_status_t status, const shardway_error_t *error) {
    if (status != SHARDWAY_OK) {
        fprintf(stderr, "%s: %s\n", shardway_status_name(status), error->message);
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    const char *json = "{\"format\": 1, \"scheme\": {\"native\": \"ring-v1\"},"
                       " \"nodes\": [{\"id\": \"alpha\"}, {\"id\": \"beta\"}, {\"id\": \"gamma\", \"weight\": 2}]}";
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    shardway_topology_t *topology = NULL;
    shardway_router_t *router = NULL;
    must(shardway_topology_from_json(json, strlen(json), &topology, &error), &error);
    must(shardway_router_new(topology, 42, &router, &error), &error);
    shardway_topology_free(topology);

    char owner[SHARDWAY_NODE_ID_CAPACITY];
    must(shardway_router_route_id(router, "user:42", 7, owner, sizeof owner, NULL, NULL, &error), &error);
    printf("%s owns user:42\n", owner);

    /* Four keys in one piece of memory: key i is data[offsets[i]] up to data[offsets[i + 1]]. */
    const char *data = "onetwothreefour";
    const uint32_t offsets[] = {0, 3, 6, 11, 15};
    shardway_groups_t *groups = NULL;
    shardway_snapshot_t *snapshot = NULL;
    must(shardway_router_group(router, data, strlen(data), offsets, 4, &groups, &error), &error);
    must(shardway_groups_snapshot(groups, &snapshot, &error), &error);
    for (size_t group = 0; group < shardway_groups_count(groups); group++) {
        uint32_t node = 0;
        const uint32_t *indices = NULL;
        const char *id = NULL;
        size_t n_indices = 0, id_length = 0;
        must(shardway_groups_get(groups, group, &node, &indices, &n_indices, &error), &error);
        must(shardway_snapshot_node_id(snapshot, node, &id, &id_length, &error), &error);
        printf("%.*s gets", (int)id_length, id);
        for (size_t i = 0; i < n_indices; i++) {
            uint32_t key = indices[i];
            printf(" %.*s", (int)(offsets[key + 1] - offsets[key]), data + offsets[key]);
        }
        printf("\n");
    }
    shardway_snapshot_free(snapshot);
    shardway_groups_free(groups);
    shardway_router_free(router);
    return EXIT_SUCCESS;
}
