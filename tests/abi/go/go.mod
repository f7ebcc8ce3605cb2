module shardway/abi

go 1.21
