// Compiled, not run: the types that users of CommonJS see.
import shardway = require("shardway");
import thrift = require("shardway/thrift");

const router = new shardway.Router(shardway.Topology.fromJson("{}"));
const error: shardway.ShardwayError = new shardway.NoPartitionError("none", { place: "x" });
const code: shardway.ErrorCodeName = error.code;
const failed: thrift.NodeFailedError = new thrift.ConnectError("no");
