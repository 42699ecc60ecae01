import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServerFile } from "../src/server-file.ts";
import { projectFolder, startVictim } from "./folder.ts";
import { api, type Client, connect } from "./support.ts";

/** A client that resumes from its cursor and resends unacknowledged messages. */
class Steady {
  readonly name: string;
  readonly texts: readonly string[];
  rootId: string | undefined;
  cursor = 0;
  readonly heard: number[] = [];
  readonly said: string[] = [];
  #sent = 0;

  constructor(name: string, messages: number) {
    this.name = name;
    this.texts = Array.from({ length: messages }, (_, nth) => `${name} says ${nth}`);
  }

  get isDone(): boolean {
    return this.#sent === this.texts.length;
  }

  /** Works until it is done or the server has died. */
  async work(url: string, token: string): Promise<void> {
    const client = await connect(url, { token });
    try {
      await this.#send(client);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== "the socket was closed") throw error;
    }
    this.#take(client);
    client.close();
  }

  async #send(client: Client): Promise<void> {
    const rootId = (this.rootId ??= await this.#create(client));
    await client.send({ type: "subscribe", dialog: { rootId }, after: this.cursor });
    while (!this.isDone) {
      const answer = await client.send({
        type: "drive_dlg_by_user_msg",
        dialog: { rootId },
        content: this.texts[this.#sent] ?? "",
        msgId: `${this.name} ${this.#sent}`,
      });
      if (answer.type === "refused") throw new Error(answer.message);
      this.#sent++;
    }
    const last = this.texts.at(-1) ?? "";
    await client.next(() => {
      this.#take(client);
      return this.said.includes(last);
    });
  }

  async #create(client: Client): Promise<string> {
    const made = await client.send({ type: "create_dialog", content: this.name, msgId: `${this.name} begins` });
    if (made.type !== "accepted" || !made.dialog) throw new Error(JSON.stringify(made));
    return made.dialog.rootId;
  }

  /** Whole commits only: a partial one is sent again. */
  #take(client: Client): void {
    const all = client.of("recorded").filter(({ seq, dialog }) => seq > this.cursor && dialog.rootId === this.rootId);
    const whole = all.slice(0, all.findLastIndex(({ last }) => last) + 1);
    for (const { seq, event } of whole) {
      this.heard.push(seq);
      if (event.type === "message.added") this.said.push(event.content);
      this.cursor = seq;
    }
  }
}

test("[SV60] after a kill under load, clients resume with every message once and no gap", async () => {
  const dir = projectFolder();
  let victim = await startVictim(dir);
  const clients = Array.from({ length: 4 }, (_, nth) => new Steady(`client ${nth}`, 12));
  for (let round = 0; clients.some((client) => !client.isDone); round++) {
    const working = clients.map((client) => client.work(victim.url, victim.token));
    if (round < 3) {
      const watcher = await connect(victim.url, { token: victim.token });
      await watcher.send({ type: "subscribe", project: "shop" });
      // Killed in the middle, a little later each time.
      await watcher.next(() => watcher.of("dialog.updated").length > 6 + 5 * round);
      await victim.kill("SIGKILL");
      await Promise.all(working);
      victim = await startVictim(dir, victim.port);
    } else await Promise.all(working);
  }
  for (const client of clients) {
    expect(client.heard).toEqual(client.heard.map((_, nth) => nth + 1));
    expect(client.said).toEqual([client.name, ...client.texts]);
  }
});

test("[SV61] project-wide events resume from a pos on another server, including commits made without a server", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const client = await connect(first.url, { token: first.token });
  await client.send({ type: "subscribe", project: "shop" });
  await client.send({ type: "create_dialog", content: "please decide", msgId: "1" });
  const asked = await client.next(({ type }) => type === "notification.added");
  const pos = "pos" in asked ? (asked.pos ?? 0) : 0;
  await first.kill("SIGKILL");
  const second = await startVictim(dir);
  const other = await connect(second.url, { token: second.token });
  await other.send({ type: "create_dialog", content: "Hello", msgId: "2" });
  const again = await connect(second.url, { token: second.token });
  expect(await again.send({ type: "subscribe", project: "shop", after: pos - 1 })).toMatchObject({ type: "accepted" });
  expect(await again.next(({ type }) => type === "notification.added")).toMatchObject({ pos });
  await again.next((one) => one.type === "dialog.updated" && one.dialog.title === "Hello");
  await second.kill("SIGTERM");
  expect(existsSync(join(dir, ".dialogs/server.json"))).toBe(false);
  // Removes the last commits from the file, as if another process had made them.
  const places = readFileSync(join(dir, ".dialogs/commits.index"), "utf8").split("\n");
  writeFileSync(join(dir, ".dialogs/commits.index"), places.slice(1, 2).join("\n"));
  const third = await startVictim(dir);
  const last = await connect(third.url, { token: third.token });
  expect(await last.send({ type: "subscribe", project: "shop", after: 1 })).toMatchObject({ type: "accepted" });
  await last.next((one) => one.type === "dialog.updated" && one.dialog.title === "Hello");
  expect(last.of("notification.added")).toMatchObject([{ pos }]);
  expect(await last.send({ type: "subscribe", project: "shop", after: 0 })).toMatchObject({ type: "refused", code: "too_far_behind" });
  await third.kill("SIGTERM");
  // Without the file, a small project is read from its beginning.
  rmSync(join(dir, ".dialogs/commits.index"));
  const fourth = await startVictim(dir);
  const young = await connect(fourth.url, { token: fourth.token });
  expect(await young.send({ type: "subscribe", project: "shop", after: 0 })).toMatchObject({ type: "accepted" });
  expect(await young.next(({ type }) => type === "notification.added")).toMatchObject({ pos });
});

test("[SV62] a second server on the same project is refused with the address of the first", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const refusal = new RegExp(`A server \\(pid ${first.child.pid}\\) works on .* at ${first.url}\\.`);
  await expect(startVictim(dir)).rejects.toThrow(refusal);
  expect(readServerFile(dir)).toMatchObject({ pid: first.child.pid, url: first.url, token: first.token });
  expect(statSync(join(dir, ".dialogs/server.json")).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, ".dialogs/server-token")).mode & 0o777).toBe(0o600);
});

test("[SV63] a clean stop tells sockets to reconnect, removes server.json, keeps the token and loses nothing", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const client = await connect(first.url, { token: first.token });
  await client.send({ type: "create_dialog", content: "Hello", msgId: "1" });
  await first.kill("SIGTERM");
  expect(await client.closed).toMatchObject({ code: 1012 });
  expect(readServerFile(dir)).toBeUndefined();
  const second = await startVictim(dir);
  expect(second.token).toBe(first.token);
  const { body } = await api(second.url)("GET", "/projects/shop/dialogs", undefined, { authorization: `Bearer ${second.token}` });
  expect(body.dialogs).toMatchObject([{ title: "Hello" }]);
});
