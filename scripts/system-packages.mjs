// Programs that tests need and npm doesn't install. Plain JavaScript without packages: on a fresh clone it runs on Node 20.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { postgresFolder } from "./postgres.mjs";

const aptGetProgram = "/usr/bin/apt-get";
/** Debian packages, each with a check whether it is installed. */
const packages = {
  bubblewrap: () => existsSync("/usr/bin/bwrap"),
  passt: () => existsSync("/usr/bin/pasta"),
  chromium: () => existsSync("/usr/bin/chromium"),
  postgresql: () => postgresFolder() !== undefined,
};

/** Installs what is missing if that needs no confirmation: as root, with apt-get. Otherwise the tests that need it say so. */
export function ensureSystemPackages() {
  if (process.platform !== "linux") return;
  const missing = Object.entries(packages).flatMap(([name, isThere]) => (isThere() ? [] : [name]));
  if (missing.length === 0) return;
  const names = missing.join(" ");
  if (process.getuid?.() !== 0 || !existsSync(aptGetProgram)) {
    console.error(`Missing: ${names}. Tests that need it will fail. Install it: sudo apt-get install ${names}`);
    return;
  }
  process.stderr.write(`Installing ${names} with apt-get … `);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  /** @param {string[]} args */
  const aptGet = (...args) => spawnSync(aptGetProgram, ["-qq", "-y", ...args], { env, encoding: "utf8" });
  const install = () => aptGet("install", "--no-install-recommends", ...missing);
  let result = install();
  // On a fresh machine the package lists may be missing or old.
  if (result.status !== 0 && aptGet("update").status === 0) result = install();
  console.error(result.status === 0 ? "done" : `failed\n${result.stderr.trim()}\nTests that need it will fail.`);
}
