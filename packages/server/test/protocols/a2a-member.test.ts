import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject, type Project } from "@colloquy/library";
import { call, calls, say, type Telling, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { projectFolder, startVictim } from "../folder.ts";
import { latch } from "../latch.ts";
import { api, served, TOKEN } from "../support.ts";
import { loadedBy } from "./loaded-by.ts";

const ask = (content: string) => call("tellaskSessionless", { targetAgentId: "shipper", tellaskContent: content });

/** Settings of a team whose shipper works at this address. */
const settings = (a2a: unknown, more: object = {}) =>
  JSON.stringify({
    defaults: { model: "told/model" },
    agents: { lead: { role: "You lead.", default: true }, shipper: { name: "Shipper", role: "Ships parcels.", a2a, ...more } },
  });

/** A project here whose shipper works elsewhere. */
async function here(a2a: unknown, telling: Telling): Promise<{ readonly project: Project }> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-a2a-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), settings(a2a));
  const model = toldModel(telling);
  const project = await openProject({ dir, env: { SHIP: TOKEN }, findModel: () => model, report: () => undefined });
  onTestFinished(() => project.close());
  return { project };
}

const at = (url: string) => ({ url, tokenEnv: "SHIP" });

test("[AA14] an ask to an agent elsewhere is a task there, and its answer comes back", async () => {
  const there = await served({ lead: () => say("On its way.") });
  const { project } = await here(at(there.server.url), { lead: [ask("Ship the parcel."), say("It is shipped.")] });
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("It is shipped.");
  const [task] = there.project.dialogs.list();
  const said = (await there.project.dialogs.events(task?.rootId ?? "")).flatMap(({ events }) => events);
  expect(said.flatMap((event) => (event.type === "message.added" ? [event.content] : [])).join()).toContain("Ship the parcel.");
  expect(JSON.stringify(await project.dialogs.events(dialog.id))).toContain("On its way.");
});

test("[AA14] a message that addresses it is a task too, and what it decides elsewhere is refused here", async () => {
  const there = await served({ lead: () => say("On its way.") });
  const { project } = await here(at(there.server.url), {});
  const dialog = await project.dialogs.create({ content: "Ship this.", agent: "shipper" });
  expect(await dialog.result()).toBe("On its way.");
  for (const more of [{ model: "told/model" }, { tools: ["files"] }, { fbrEffort: 2 }]) {
    const dir = mkdtempSync(join(tmpdir(), "colloquy-a2a-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, "colloquy.yaml"), settings(at(there.server.url), more));
    await expect(openProject({ dir, env: {}, report: () => undefined })).rejects.toThrow("works elsewhere and has no");
  }
});

test("[AA15] what it asks goes back to the asker, and the answer goes on with its task", async () => {
  const there = await served({
    lead: [
      calls(["askHuman", { headline: "Which colour?", tellaskContent: "Blue or red?", options: ["Blue", "Red"] }]),
      say("I ask them."),
      say("Painted blue."),
    ],
  });
  const { project } = await here(at(there.server.url), {
    lead: [ask("Paint the parcel."), say("Ask your people for blue."), say("It is painted.")],
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  // The answer of an agent is a message there; a person there decides.
  await expect.poll(() => there.project.questions.count()).toBe(1);
  await expect
    .poll(async () => JSON.stringify(await there.project.dialogs.events(there.project.dialogs.list()[0]?.rootId ?? "")))
    .toContain("Ask your people for blue.");
  expect(there.project.questions.count()).toBe(1);
  const [question] = await there.project.questions.list();
  await there.project.questions.answer(question?.id ?? "", { choice: "Blue", by: "anna" });
  expect(await dialog.result()).toBe("It is painted.");
  const events = JSON.stringify(await project.dialogs.events(dialog.id));
  expect(events).toContain("Painted blue.");
  const back = (await project.dialogs.events(dialog.id)).flatMap(({ events: all }) => all).filter(({ type }) => type === "ask.opened");
  expect(back.map((event) => ("content" in event ? String(event.content).includes("Which colour?") : undefined))).toEqual([false, true]);
});

test("[AA17] a session that is asked again goes on in the same context", async () => {
  const there = await served({ lead: [say("First."), say("Second.")] });
  const again = (content: string) => call("tellask", { targetAgentId: "shipper", sessionSlug: "parcels", tellaskContent: content });
  const { project } = await here(at(there.server.url), { lead: [again("One"), again("Two"), say("Done.")] });
  expect(await (await project.dialogs.create({ content: "Go" })).result()).toBe("Done.");
  expect(there.project.dialogs.list()).toHaveLength(1);
});

test("[AA18] a failure elsewhere is the answer: a wrong token, a stop", async () => {
  const gate = latch();
  const there = await served({ lead: [{ hold: gate.opened, ...say("Never.") }] });
  const denied = await here(there.server.url, { lead: [ask("Ship."), say("So be it.")] });
  const first = await denied.project.dialogs.create({ content: "Go" });
  expect(await first.result()).toBe("So be it.");
  expect(JSON.stringify(await denied.project.dialogs.events(first.id))).toContain("It refuses the token (401)");
  const stopped = await here(at(there.server.url), { lead: [ask("Ship."), say("So be it.")] });
  const second = await stopped.project.dialogs.create({ content: "Go" });
  await expect.poll(() => there.project.dialogs.list()).toHaveLength(1);
  const [task] = there.project.dialogs.list();
  await there.project.dialogs.stop(task?.rootId ?? "", { tree: true, by: "anna" });
  gate.open();
  expect(await second.result()).toBe("So be it.");
  expect(JSON.stringify(await stopped.project.dialogs.events(second.id))).toContain("did not do it (canceled)");
});

test("[AA19] a card that leads elsewhere, and a redirect, get nothing", async () => {
  const heard: string[] = [];
  const there = await served({ lead: () => say("Never.") });
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    if (request.url === "/moved/.well-known/agent-card.json") return void response.writeHead(302, { location: there.server.url }).end();
    const supportedInterfaces = [{ url: `${there.server.url}/a2a`, protocolBinding: "JSONRPC", tenant: "", protocolVersion: "1.0" }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: "Trap", description: "", version: "1", supportedInterfaces, capabilities: {}, skills: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [address, why] of [
    [url, "Its card leads to"],
    [`${url}/moved`, "It redirects elsewhere (302)"],
  ] as const) {
    const { project } = await here(at(address), { lead: [ask("Ship."), say("So be it.")] });
    const dialog = await project.dialogs.create({ content: "Go" });
    expect(await dialog.result()).toBe("So be it.");
    expect(JSON.stringify(await project.dialogs.events(dialog.id))).toContain(why);
  }
  expect(there.project.dialogs.list()).toHaveLength(0);
  expect(heard.every((line) => line.startsWith("GET"))).toBe(true);
});

test("[AA16] [AA18] a kill on either side while the other works loses nothing and sends nothing twice", async () => {
  const there = projectFolder("there");
  const first = await startVictim(there);
  const dir = projectFolder();
  writeFileSync(join(dir, ".env"), `SHIP=${first.token}\n`);
  writeFileSync(
    join(dir, "colloquy.yaml"),
    JSON.stringify({
      defaults: { model: "scripted/play" },
      agents: { lead: { role: "You lead.", default: true }, shipper: { role: "Ships.", a2a: at(first.url) } },
    }),
  );
  writeFileSync(
    join(dir, "scripts/play.yaml"),
    `rules:
  - when: { result: tellaskSessionless }
    do: { say: "They said: {{text}}" }
  - do: { call: { tool: tellaskSessionless, input: { targetAgentId: shipper, tellaskContent: "wait for it" } } }
`,
  );
  const asking = await startVictim(dir);
  const headers = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` });
  const made = await api(asking.url)("POST", "/projects/shop/dialogs", { content: "Go", msgId: "1" }, headers(asking));
  const tasksThere = async (url: string) => (await api(url)("GET", "/projects/there/dialogs", undefined, headers(first))).body.dialogs;
  await expect.poll(async () => tasksThere(first.url)).toHaveLength(1);
  await asking.kill("SIGKILL");
  await first.kill("SIGKILL");
  const again = await startVictim(dir);
  const back = await startVictim(there, first.port);
  const { rootId } = made.body;
  await expect
    .poll(async () =>
      JSON.stringify((await api(again.url)("GET", `/projects/shop/dialogs/${rootId}/events`, undefined, headers(again))).body),
    )
    .toContain("At last.");
  await api(again.url)("GET", `/projects/shop/dialogs/${rootId}/quiet?within=30000`, undefined, headers(again));
  expect(await tasksThere(back.url)).toHaveLength(1);
});

test("[AA20] without an agent elsewhere its code is not loaded", async () => {
  expect(await loadedBy("a2a-client")).toEqual([]);
});
