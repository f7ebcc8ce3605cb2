// The README's snippets run as they stand.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const snippets = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

test("the taste in the project's README runs", () => {
  const project = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const tastes = [...project.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  assert.equal(tastes.length, 1);
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", tastes[0]], { cwd: folder }).toString();
  assert.match(said, /user:1 from [abc]/);
});

test("the README has its snippets", () => assert.equal(snippets.length, 3));

for (const [index, code] of snippets.entries()) {
  test(`snippet ${index + 1} runs and prints`, () => {
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder }).toString();
    assert.match(said, [/^owner /, /has one/, /^InvalidTopology 10 nodes\[0\]\.weight$/m][index]);
  });
}
