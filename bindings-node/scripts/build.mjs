// Builds the native library with cargo and puts it next to the compiled TypeScript.
//
//   node scripts/build.mjs [--panic-test]
//
// With --panic-test the library has a function that panics on demand and goes to a folder of its own.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const panicTest = process.argv.includes("--panic-test");
const profile = panicTest ? "dev" : "release";
const files = { linux: "libshardway_node.so", darwin: "libshardway_node.dylib", win32: "shardway_node.dll" };
const file = files[process.platform];
if (file === undefined) throw new Error(`no name of a shared library is known for ${process.platform}`);

const args = ["build", "--profile", profile, "--locked", "--package", "shardway-node", "--message-format=json-render-diagnostics"];
if (panicTest) args.push("--features", "panic-test");
const said = execFileSync("cargo", args, { cwd: here, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
const built = said
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ reason, target }) => reason === "compiler-artifact" && target.name === "shardway_node")
  .flatMap(({ filenames }) => filenames)
  .find((name) => name.endsWith(file));
if (built === undefined) throw new Error("cargo gave no library");

const to = join(here, "dist", panicTest ? "panic-test" : "", "shardway.node");
mkdirSync(dirname(to), { recursive: true });
rmSync(to, { force: true }); // a running process may have it mapped: make a new file, do not write into the old one
cpSync(built, to);
