// A lock file with the URLs of one registry doesn't install from another; and packages must use the versions that get published.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

/** @param {string} file */
const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));

const addresses = ["package-lock.json", "bench/peers/package-lock.json"].flatMap((file) => {
  /** @type {[string, {resolved?: string}][]} */
  const locked = Object.entries(read(file).packages);
  return locked.filter(([, entry]) => /^\w+:/.test(entry.resolved ?? "")).map(([path]) => `${file}: ${path} has a resolved address`);
});

const { dependencies: published, devDependencies: bundled } = read("package.json");
const used = globSync("packages/*/package.json", { cwd: root }).flatMap((file) =>
  Object.entries(read(file).dependencies ?? {}).map(([name, version]) => ({ file, name, version })),
);
const differing = used
  .filter(({ name, version }) => !name.startsWith("@colloquy/") && (published[name] ?? bundled[name]) !== version)
  .map(({ file, name, version }) => `${file}: ${name} ${version} is ${published[name] ?? bundled[name] ?? "absent"} in the root`);
const unused = Object.keys(published)
  .filter((name) => !used.some((use) => use.name === name))
  .map((name) => `package.json: ${name} is used by no package`);

// npm installs from the lock file, so a stale entry makes every later `npm test` install again.
const locked = read("package-lock.json").packages;
const stale = ["", ...globSync(["packages/*", "bench"], { cwd: root })].flatMap((folder) => {
  const { dependencies = {}, devDependencies = {} } = read(join(folder, "package.json"));
  const entry = locked[folder] ?? {};
  const isCurrent = isDeepStrictEqual({ ...entry.dependencies, ...entry.devDependencies }, { ...dependencies, ...devDependencies });
  return isCurrent ? [] : [`package-lock.json: ${folder || "the root"} has other dependencies. Run: npm install --package-lock-only`];
});

report([...addresses, ...differing, ...unused, ...stale], "no addresses, the same versions everywhere");
