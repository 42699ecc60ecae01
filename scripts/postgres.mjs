// A PostgreSQL server on loopback for tests and benchmarks: created in a temporary folder, and removed when the starting process ends.
// Plain JavaScript without packages: on a fresh clone it runs on Node 20.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DEBIAN = "/usr/lib/postgresql";

/** The folder of the newest server's programs; undefined if none is installed. */
export function postgresFolder() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/**
 * Starts a server. `url` is its superuser's, with a password, for the database `postgres`. `durable: false` leaves out syncs: for
 * tests that lose processes, never the machine.
 * @param {{ durable?: boolean, settings?: Record<string, string> }} [options]
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPostgres({ durable = false, settings = {} } = {}) {
  const programs = postgresFolder();
  if (!programs) throw new Error("PostgreSQL is missing. Install it: sudo apt-get install postgresql");
  const folder = mkdtempSync(join(tmpdir(), "colloquy-postgres-"));
  try {
    const [owner, password, port] = [serverUser(), randomBytes(12).toString("hex"), await freePort()];
    if (owner) chownSync(folder, owner.uid, owner.gid);
    const [data, secret] = [join(folder, "data"), join(folder, "password")];
    writeFileSync(secret, password);
    if (owner) chownSync(secret, owner.uid, owner.gid);
    const init = ["-D", data, "-U", "postgres", `--pwfile=${secret}`, "--auth=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"];
    const made = spawnSync(join(programs, "initdb"), init, { ...owner, cwd: folder, encoding: "utf8" });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`);
    const set = {
      listen_addresses: "127.0.0.1",
      port: String(port),
      unix_socket_directories: "",
      ...(durable ? {} : { fsync: "off" }),
      ...settings,
    };
    const args = ["-D", data, ...Object.entries(set).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    const stop = await guarded({ program: join(programs, "postgres"), args, folder, owner });
    return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @typedef {{ program: string, args: string[], folder: string, owner?: { uid: number, gid: number } | undefined }} Server
 * @param {Server} server
 */
async function guarded(server) {
  const guard = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(server)], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true, // Ctrl-C is for our parent; the guard notices the closed pipe.
  });
  const ended = new Promise((resolve) => guard.on("close", resolve));
  await new Promise((resolve, reject) => {
    guard.stdout.once("data", resolve);
    void ended.then(() => reject(new Error("PostgreSQL did not start; it says why above.")));
  });
  guard.unref();
  return async () => {
    guard.ref();
    guard.stdin.end();
    await ended;
  };
}

/** PostgreSQL refuses to run as root: then it runs as its package's user, or as nobody. */
function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  /** @param {string} name @param {"-u" | "-g"} which */
  const id = (name, which) => Number(spawnSync("id", [which, name], { encoding: "utf8" }).stdout.trim() || Number.NaN);
  const name = Number.isNaN(id("postgres", "-u")) ? "nobody" : "postgres";
  return { uid: id(name, "-u"), gid: id(name, "-g") };
}

/** @returns {Promise<number>} */
function freePort() {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** Runs the server until our parent closes our input or dies; then removes everything. @param {Server} server */
function guard({ program, args, folder, owner }) {
  const server = spawn(program, args, { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  let isReady = false;
  server.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-4_000);
    if (isReady || !said.includes("ready to accept connections")) return;
    isReady = true;
    process.stdout.write("ready\n");
  });
  server.on("exit", () => {
    if (!isReady) process.stderr.write(said);
    rmSync(folder, { recursive: true, force: true });
    process.exit(isReady ? 0 : 1);
  });
  process.stdout.on("error", () => undefined); // our parent is gone, which the input shows
  process.stdin.on("error", () => undefined);
  process.stdin.resume().on("close", () => server.kill("SIGQUIT"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) guard(JSON.parse(process.argv[2] ?? "{}"));
