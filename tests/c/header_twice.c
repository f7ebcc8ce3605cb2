/* The header alone, first, and twice: it needs nothing before it, and a second time changes nothing. */
#include "shardway.h"
#include "shardway.h"

int main(void) {
    shardway_error_t error = SHARDWAY_ERROR_INIT;
    return error.struct_size == sizeof(shardway_error_t) && shardway_abi_version() == SHARDWAY_ABI_VERSION ? 0 : 1;
}
