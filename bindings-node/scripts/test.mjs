// Runs every test: checks the types that users see, makes what the tests need, then node --test.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const run = (command, args) => execFileSync(command, args, { cwd: here, stdio: "inherit" });

run(process.execPath, ["scripts/build.mjs", "--panic-test"]);
const generated = join(here, "dist", "test");
mkdirSync(generated, { recursive: true });
try {
  run("thrift", ["--gen", "js:node,es6", "-o", generated, join(here, "..", "tests", "delivery.thrift")]);
} catch (error) {
  if (error.code !== "ENOENT") throw error;
  throw new Error("the tests need the Thrift compiler on the path (Debian: thrift-compiler)", { cause: error });
}
run(process.execPath, [join(here, "node_modules", "typescript", "bin", "tsc"), "-p", "test/tsconfig.json"]);

const files = readdirSync(join(here, "test"))
  .filter((name) => /\.test\.(mjs|cjs)$/.test(name))
  .map((name) => join("test", name));
const only = process.argv.slice(2);
const args = ["--test", "--test-reporter=spec", ...(only.length > 0 ? only : files)];
process.exit(spawnSync(process.execPath, args, { cwd: here, stdio: "inherit" }).status ?? 1);
