// Every name that tests/surface.json gives Node is exported.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as shardway from "shardway";

test("every name of the table is there", () => {
  const { operations } = JSON.parse(readFileSync(new URL("../../tests/surface.json", import.meta.url), "utf8"));
  const names = operations.flatMap(({ node }) => (node === null ? [] : [node]));
  assert.ok(names.length > 40);
  const missing = names.filter((name) => {
    const [kind, member] = name.split(".");
    const type = shardway[kind];
    return type === undefined || !(member === undefined || member in type.prototype || member in type);
  });
  assert.deepEqual(missing, []);
});
