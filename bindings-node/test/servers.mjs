// Thrift servers as child processes, and what the thrift tests say of them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { Router, Topology } from "shardway";

const require = createRequire(import.meta.url);
export const Delivery = require("../dist/test/gen-nodejs/DeliveryService.js");
export const types = require("../dist/test/gen-nodejs/delivery_types.js");

export class Server {
  static async start(options = {}) {
    const server = new Server();
    server.child = fork(new URL("server.cjs", import.meta.url), [JSON.stringify(options)]);
    [{ port: server.port }] = await once(server.child, "message");
    return server;
  }

  /** Sends a wish; gives what was asked of the server so far and how many connections it has. */
  async tell(wish) {
    this.child.send(wish);
    return (await once(this.child, "message"))[0];
  }

  async calls() {
    return (await this.tell({ forget: true })).calls;
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}

export const startAll = (count, options) => Promise.all(Array.from({ length: count }, () => Server.start(options)));

/** A topology of servers, `s0`, `s1`, ... with their numbers as shard ids. */
export function topologyOf(servers, options = {}) {
  const nodes = servers.map(({ port }, shardId) => ({ id: `s${shardId}`, host: "127.0.0.1", port, shardId }));
  return new Topology({ nodes, scheme: "ring-v1", ...options });
}

export const routerOf = (servers, options) => new Router(topologyOf(servers, options));

export const address = (name) => new types.AddrInfo({ name, zipCode: 12345 });
export const box = (name, item) => new types.Box({ addrInfo: address(name), item });
export const sizes = (boxes) => boxes.map(({ addrInfo, item }) => [addrInfo.name, item]);
