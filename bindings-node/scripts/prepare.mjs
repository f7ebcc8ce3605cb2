// Builds the package where it is installed by another one: npm runs this for `npm install path/to/bindings-node`,
// and does not install there what building takes. In the folder itself `npm run build` is a step of its own.

import { execSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = realpathSync(join(dirname(fileURLToPath(import.meta.url)), ".."));
const installing = process.env.npm_config_local_prefix;
if (installing !== undefined && realpathSync(installing) !== here) {
  // A npm of its own: what the outer one was told (its folder, its flags) is not meant for this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config_(local_)?prefix|config_global|package_|lifecycle_)/i.test(name)));
  const run = (command) => execSync(command, { cwd: here, env, stdio: "inherit" });
  if (!existsSync(join(here, "node_modules", "typescript"))) run("npm ci --ignore-scripts");
  run("npm run build");
}
