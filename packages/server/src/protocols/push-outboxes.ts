import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PushEntry, PushOutbox } from "@colloquy/a2a";
import type { ServedProject } from "../served-project.ts";
import { writeSecret } from "../server-file.ts";
import type { Bridges } from "./bridges.ts";

/** What programs want to hear of their tasks, by project. Beside the log, because it is no part of any dialog; private, because it has their tokens. */
export class PushOutboxes {
  readonly #bridges: Bridges;
  readonly #report: (error: unknown) => void;
  readonly #outboxes = new Map<string, Promise<PushOutbox>>();
  readonly #stops: (() => void)[] = [];

  constructor(bridges: Bridges, report: (error: unknown) => void) {
    this.#bridges = bridges;
    this.#report = report;
  }

  /** Delivers what an earlier process left. Loads nothing if there is nothing. */
  resume(served: readonly ServedProject[]): void {
    for (const one of served) if (existsSync(fileOf(one))) this.of(one).catch(this.#report);
  }

  of(served: ServedProject): Promise<PushOutbox> {
    const known = this.#outboxes.get(served.id) ?? this.#open(served);
    this.#outboxes.set(served.id, known);
    return known;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const outbox of this.#outboxes.values()) (await outbox).close();
  }

  async #open(served: ServedProject): Promise<PushOutbox> {
    const { PushOutbox: Outbox, PROTOCOL } = await import("@colloquy/a2a");
    const { project } = served;
    const file = fileOf(served);
    const outbox = new Outbox({
      entries: existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly PushEntry[]) : [],
      save: (entries) => saveDurably(file, entries),
      projectFor: (by) => (mayHear(served, by) ? this.#bridges.as(served, by, PROTOCOL) : undefined),
      origins: () => project.agents.pushOrigins,
      report: this.#report,
    });
    this.#stops.push(
      project.onCommit(({ lines }) => {
        for (const { stream } of lines) if (stream !== "project") outbox.changed(stream);
      }),
    );
    outbox.resume();
    return outbox;
  }
}

/** The holder of the server's own token, or a user whom the settings still have. */
const mayHear = ({ project }: ServedProject, by: string): boolean => by === "owner" || project.agents.users.some(({ name }) => name === by);

const fileOf = ({ project }: ServedProject): string => join(project.dir, ".dialogs", "a2a", "push.json");

function saveDurably(file: string, entries: readonly PushEntry[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeSecret(file, `${JSON.stringify(entries)}\n`);
  for (const path of [file, dirname(file)]) {
    const open = openSync(path, "r");
    fsyncSync(open);
    closeSync(open);
  }
}
