// The service of tests/delivery.thrift for Node, generated into the build folder when the file has changed.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const binding = join(root, "bindings-node");
const idl = join(root, "tests", "delivery.thrift");

function generated() {
  const parent = join(root, "target", "thrift-node");
  const folder = join(parent, createHash("sha256").update(readFileSync(idl)).digest("hex").slice(0, 16));
  if (!existsSync(folder)) {
    mkdirSync(parent, { recursive: true });
    const scratch = mkdtempSync(join(parent, "new-"));
    execFileSync("thrift", ["--gen", "js:node,es6", "-out", scratch, idl], { stdio: "inherit" });
    // The generated code asks for the package thrift from where it lies.
    symlinkSync(join(binding, "node_modules"), join(scratch, "node_modules"), "dir");
    try {
      renameSync(scratch, folder); // in one step: another process never sees half of it
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(scratch, { recursive: true });
    }
  }
  return folder;
}

const folder = generated();
const require = createRequire(join(binding, "package.json"));
export const thrift = require("thrift");
export const Delivery = require(join(folder, "DeliveryService.js"));
export const types = require(join(folder, "delivery_types.js"));
