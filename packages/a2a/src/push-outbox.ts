import { randomUUID } from "node:crypto";
import { A2A_CONTENT_TYPE, StreamResponse, type Task, type TaskPushNotificationConfig } from "@a2a-js/sdk";
import { PushNotificationNotSupportedError, RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import type { BridgeProject } from "@colloquy/bridge";
import { isOver } from "./task-status.ts";
import { readTask } from "./read-task.ts";
import { taskRef } from "./task-ref.ts";

/** Where one user wants to hear of a task, and what was delivered there last. */
export interface PushEntry {
  readonly by: string;
  readonly config: TaskPushNotificationConfig;
  readonly sent?: string;
}

export interface PushOutboxOptions {
  readonly entries: readonly PushEntry[];
  /** Durable when it returns. */
  readonly save: (entries: readonly PushEntry[]) => void;
  /** The project as this user reaches it; undefined if the settings no longer let them in. */
  readonly projectFor: (by: string) => BridgeProject | undefined;
  /** The origins that the settings allow now. */
  readonly origins: () => readonly string[];
  readonly report: (error: unknown) => void;
}

const MAX_ENTRIES = 1_000;
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 300_000;

/** Tells programs elsewhere of their tasks' states: at least once each, in order, also after a restart. */
export class PushOutbox {
  readonly #options: PushOutboxOptions;
  #entries: readonly PushEntry[];
  /** Deliveries under way, and whether something has happened since. */
  readonly #busy = new Map<string, { isStale: boolean }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #closing = new AbortController();

  constructor(options: PushOutboxOptions) {
    this.#options = options;
    this.#entries = options.entries;
  }

  /** The settings allow no address at all. */
  get isOff(): boolean {
    return this.#options.origins().length === 0;
  }

  /** Everything that is not delivered, after a start. */
  resume(): void {
    for (const { config } of this.#entries) this.#look(config.id);
  }

  add(by: string, given: TaskPushNotificationConfig): TaskPushNotificationConfig {
    this.demandAllowed(given.url);
    const config = { ...given, id: given.id === "" ? randomUUID() : given.id };
    const others = this.#entries.filter((one) => one.by !== by || one.config.taskId !== config.taskId || one.config.id !== config.id);
    if (others.length >= MAX_ENTRIES) throw new RequestMalformedError(`There are ${MAX_ENTRIES} push notification configs. Delete some.`);
    this.#keep([...others, { by, config }]);
    this.#look(config.id);
    return config;
  }

  get(by: string, taskId: string, id: string): TaskPushNotificationConfig {
    const found = this.list(by, taskId).find((one) => one.id === id);
    if (!found) throw new TaskNotFoundError(`Task ${taskId} has no push notification config ${id.slice(0, 100)}.`);
    return found;
  }

  list(by: string, taskId: string): TaskPushNotificationConfig[] {
    return this.#entries.flatMap((one) => (one.by === by && one.config.taskId === taskId ? [one.config] : []));
  }

  remove(by: string, taskId: string, id: string): void {
    this.get(by, taskId, id);
    this.#keep(this.#entries.filter((one) => one.by !== by || one.config.taskId !== taskId || one.config.id !== id));
  }

  /** Something happened in a dialog's tree. */
  changed(rootId: string): void {
    for (const { config } of this.#entries) if (taskRef(config.taskId)?.rootId === rootId) this.#look(config.id);
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #keep(entries: readonly PushEntry[]): void {
    this.#options.save(entries);
    this.#entries = entries;
  }

  #look(id: string): void {
    const busy = this.#busy.get(id);
    if (busy) busy.isStale = true;
    else void this.#deliver(id).catch(this.#options.report);
  }

  async #deliver(id: string, tries = 0): Promise<void> {
    const mark = { isStale: false };
    this.#busy.set(id, mark);
    let isDelivered = true;
    try {
      for (const entry of this.#entries.filter(({ config }) => config.id === id)) isDelivered &&= await this.#one(entry);
    } finally {
      this.#busy.delete(id);
    }
    if (this.#closing.signal.aborted) return;
    if (isDelivered) return mark.isStale ? this.#deliver(id) : undefined;
    this.#busy.set(id, mark);
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#deliver(id, tries + 1).catch(this.#options.report);
      },
      Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10)),
    ).unref();
    this.#timers.add(timer);
  }

  /** False if it must be tried again. */
  async #one(entry: PushEntry): Promise<boolean> {
    const { by, config } = entry;
    const project = this.#options.projectFor(by);
    // A user who may no longer hear of it, or an address that is no longer allowed.
    if (!project || !this.#isAllowed(config.url)) return this.#forget(entry);
    const task = await readTask(project, config.taskId).catch(() => undefined);
    if (!task) return this.#forget(entry);
    const state = `${task.status?.state} ${task.status?.message?.messageId ?? ""}`;
    if (state !== entry.sent) {
      const answer = await this.#post(config, task);
      if (answer === "gone") return this.#forget(entry);
      if (answer === "failed") return false;
      this.#keep(this.#entries.map((one) => (one.config === config ? { ...one, sent: state } : one)));
    }
    return isOver(task.status) ? this.#forget(entry) : true;
  }

  #forget({ config }: PushEntry): true {
    if (this.#entries.some((one) => one.config === config)) this.#keep(this.#entries.filter((one) => one.config !== config));
    return true;
  }

  async #post({ url, token, authentication }: TaskPushNotificationConfig, task: Task): Promise<"delivered" | "failed" | "gone"> {
    const headers = new Headers({ "content-type": A2A_CONTENT_TYPE });
    if (token !== "") headers.set("x-a2a-notification-token", token);
    if (authentication && authentication.scheme !== "")
      headers.set("authorization", `${authentication.scheme} ${authentication.credentials}`);
    const body = JSON.stringify(StreamResponse.toJSON({ payload: { $case: "task", value: task } }));
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      // A redirect would lead past the addresses that are allowed.
      const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      await answer.body?.cancel();
      if (answer.ok) return "delivered";
      return answer.status === 410 ? "gone" : "failed";
    } catch {
      return "failed"; // away: tried again
    }
  }

  #isAllowed(url: string): boolean {
    const parsed = URL.parse(url);
    return parsed !== null && parsed.username === "" && parsed.password === "" && this.#options.origins().includes(parsed.origin);
  }

  demandAllowed(url: string): void {
    if (this.isOff)
      throw new PushNotificationNotSupportedError("No address is allowed. The owner can name origins: a2a: { push: [ORIGIN] }.");
    if (this.#isAllowed(url)) return;
    throw new RequestMalformedError(`url: not allowed. Allowed: ${this.#options.origins().join(", ")}.`);
  }
}
