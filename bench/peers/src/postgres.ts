import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, globSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Client } from "pg";

export interface OwnPostgres {
  readonly version: string;
  /** Creates a database and returns its address. */
  database(name: string): Promise<string>;
  /** A database's size on disk. */
  bytes(address: string): Promise<number>;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL of our own in a folder, on loopback, with the settings it comes with (fsync and synchronous_commit on).
 * It refuses to be root, so as root it runs as the user that Debian's package brings.
 */
export async function startPostgres(dir: string): Promise<OwnPostgres | string> {
  const bin = findPostgres();
  if (bin === undefined) return "PostgreSQL is not installed (Debian: apt-get install postgresql)";
  const port = await freePort();
  mkdirSync(dir, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  const who = isRoot ? { uid: id("-u"), gid: id("-g") } : {};
  if (isRoot) chownSync(dir, id("-u"), id("-g"));
  const data = join(dir, "data");
  const made = spawnSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres", "--locale=C", "-E", "UTF8"], {
    ...who,
    encoding: "utf8",
    cwd: "/",
  });
  if (made.status !== 0) return `initdb: ${made.stderr.trim()}`;
  // More connections than the default hundred: pools of several systems stay open side by side.
  const args = ["-D", data, "-p", String(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300"];
  const server: ChildProcess = spawn(join(bin, "postgres"), args, { ...who, stdio: ["ignore", "ignore", "pipe"], cwd: "/" });
  let log = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4_000)));
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const address = (name: string) => `postgresql://postgres@127.0.0.1:${port}/${name}`;
  const query = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: address("postgres") });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  for (let tries = 0; ; tries++) {
    try {
      const [row] = await query("select current_setting('server_version') as version");
      return {
        version: String(row?.["version"]).split(" ")[0] ?? "",
        async database(name) {
          await query(`create database "${name}"`);
          return address(name);
        },
        async bytes(of) {
          const [size] = await query(`select pg_database_size('${new URL(of).pathname.slice(1)}') as bytes`);
          return Number(size?.["bytes"]);
        },
        async stop() {
          server.kill("SIGINT"); // a fast shutdown
          await exited;
        },
      };
    } catch (error) {
      if (tries > 100) return `PostgreSQL did not start: ${String(error)}\n${log}`;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function findPostgres(): string | undefined {
  const find = () => globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  const found = find();
  if (found !== undefined || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return found;
  console.error("Installing postgresql with apt-get …");
  spawnSync("apt-get", ["-qq", "-y", "install", "--no-install-recommends", "postgresql"], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return find();
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
