import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sizeOf } from "../../src/long-dialog.ts";
import type { Place } from "./peer.ts";
import { freePort, type OwnPostgres, startPostgres } from "./postgres.ts";
import { type OwnRestate, startRestate } from "./restate-server.ts";
import type { System } from "./systems.ts";

export type Ground = Omit<Place, "resumed">;

/** The folder of a run, and the servers that some systems need: started when first needed, stopped in the end. */
export class Grounds {
  readonly #dir: string;
  #postgres: Promise<OwnPostgres | string> | undefined;
  readonly #restates: OwnRestate[] = [];
  postgresVersion = "";

  constructor() {
    this.#dir = mkdtempSync(join(tmpdir(), "colloquy-peers-"));
    chmodSync(this.#dir, 0o755); // PostgreSQL is another user
  }

  /** A fresh place, or the reason why there is none. */
  async place(system: System, workload: string): Promise<Ground | string> {
    const dir = join(this.#dir, workload, system.id);
    mkdirSync(dir, { recursive: true });
    const place: Ground = { dir, postgres: "", restate: { ingress: "", admin: "", port: 0 } };
    if (system.needs.includes("postgres")) {
      this.#postgres ??= startPostgres(join(this.#dir, "postgres"));
      const server = await this.#postgres;
      if (typeof server === "string") return server;
      this.postgresVersion = server.version;
      return { ...place, postgres: await server.database(`${workload}-${system.id}`) };
    }
    if (system.needs.includes("restate")) {
      const server = await startRestate(dir);
      if (typeof server === "string") return server;
      this.#restates.push(server);
      return { ...place, restate: { ingress: server.ingress, admin: server.admin, port: await freePort() } };
    }
    return place;
  }

  /** The bytes on disk there. */
  async bytes(place: Ground): Promise<number> {
    const server = await this.#postgres;
    if (place.postgres !== "" && server !== undefined && typeof server !== "string") return server.bytes(place.postgres);
    return sizeOf(place.dir, () => true);
  }

  async leave(): Promise<void> {
    for (const server of this.#restates) await server.stop();
    const server = await this.#postgres;
    if (server !== undefined && typeof server !== "string") await server.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
