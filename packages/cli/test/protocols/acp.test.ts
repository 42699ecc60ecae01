import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  ndJsonStream,
  type NewSessionResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { bin, colloquy, env, folder, project, start } from "../support.ts";

type Permission = (request: RequestPermissionRequest, signal: AbortSignal) => Promise<string | undefined> | string | undefined;
type Form = (request: CreateElicitationRequest) => CreateElicitationResponse;

interface EditorOptions {
  /** The option that the person picks; undefined closes the request. */
  readonly permission?: Permission;
  readonly form?: Form;
  readonly args?: readonly string[];
}

/** An editor that starts `colloquy acp` as its agent, by the protocol's own client. */
async function editor(dir: string, { permission, form, args = [] }: EditorOptions = {}) {
  const child = spawn(process.execPath, [bin, "-C", dir, ...args, "acp"], { env: env({}), stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.resume();
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const forms: CreateElicitationRequest[] = [];
  const app = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      permissions.push(params);
      const optionId = await permission?.(params, signal);
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params);
      return form?.(params) ?? { action: "cancel" };
    });
  const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: form ? { elicitation: { form: {} } } : {},
  });
  const textOf = (kind: SessionUpdate["sessionUpdate"]) =>
    updates
      .flatMap((update) => (update.sessionUpdate === kind && "content" in update ? [update.content as { text?: string }] : []))
      .map(({ text }) => text ?? "")
      .join("");
  return {
    agent,
    child,
    updates,
    permissions,
    forms,
    kill: (signal: NodeJS.Signals = "SIGKILL") => killed(child, signal, ended),
    said: () => textOf("agent_message_chunk"),
    heard: () => textOf("user_message_chunk"),
    output: () => output,
    /** The kinds of calls, what they change, and how they ended. */
    calls: () =>
      updates.flatMap((update) => (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update] : [])),
    begin: async (cwd = dir): Promise<NewSessionResponse> => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    says: (sessionId: string, text: string) => prompt(agent, sessionId, text),
  };
}

async function killed(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await ended;
}

const prompt = async (agent: ClientContext, sessionId: string, text: string) =>
  (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason;

const open = async (dir: string) =>
  (JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as { questions: { id: string; headline: string; kind: string }[] })
    .questions;

async function serving(dir: string, port = "0") {
  const running = start(dir, ["--json", "serve", "--port", port]);
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running.ended;
  });
  await running.says('"link":');
  const { url } = JSON.parse(readFileSync(join(dir, ".dialogs/server.json"), "utf8")) as { url: string };
  return { ...running, port: new URL(url).port };
}

const ASKS = `rules:
  - when: { result: askHuman }
    do: { say: "So be it." }
  - when: { text: decide }
    do:
      - say: "Let me ask."
      - call: { tool: askHuman, input: { headline: "Which one?", tellaskContent: "A or B?", options: [A, B] } }
  - do: [{ think: "Hm." }, { say: "I heard: {{text}}" }]
`;

const SHELL = `rules:
  - when: { result: write_file }
    do: { say: "Written." }
  - when: { text: write }
    do: { call: { tool: write_file, input: { path: notes.md, content: "Paint it blue." } } }
  - do: { say: "I heard: {{text}}" }
`;
const asksFirst = `defaults: { model: scripted/play }
permissions: { write_file: ask }
agents:
  lead: { name: Lead, role: "You lead.", tools: [files], default: true }
  coder: { name: Coder, role: "You code." }
`;
const careful = () => folder({ "colloquy.yaml": asksFirst, "scripts/play.yaml": SHELL });

test("[AC1] [AC3] [AC14] a session is a dialog: words and thoughts come as they are said, and nothing else is on standard output", async () => {
  const dir = project(ASKS);
  const { begin, says, said, updates, output, agent, kill } = await editor(dir);
  const { sessionId, modes } = await begin();
  expect(modes).toMatchObject({ currentModeId: "lead" });
  expect(await says(sessionId, "Hello")).toBe("end_turn");
  expect(said()).toBe("I heard: Hello");
  expect(updates.some(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk")).toBe(true);
  expect(await says(sessionId, "Again")).toBe("end_turn");
  const { sessions } = await agent.request(methods.agent.session.list, { cwd: dir });
  expect(sessions).toMatchObject([{ sessionId, cwd: dir, title: "Hello" }]);
  expect((JSON.parse((await colloquy(dir, "ls", "--json")).stdout) as { dialogs: { rootId: string }[] }).dialogs).toMatchObject([
    { rootId: sessionId },
  ]);
  await kill("SIGTERM");
  for (const line of output().trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("[AC2] [AC3] a loaded session shows the conversation, and a resumed one only what comes", async () => {
  const dir = project(ASKS);
  const first = await editor(dir);
  const { sessionId } = await first.begin();
  await first.says(sessionId, "Hello");
  await first.kill("SIGTERM");
  const second = await editor(dir);
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: dir, mcpServers: [] });
  expect({ heard: second.heard(), said: second.said() }).toEqual({ heard: "Hello", said: "I heard: Hello" });
  const server = await second.says(sessionId, "On");
  expect(server).toBe("end_turn");
  await second.kill("SIGTERM");
  const third = await editor(dir);
  await third.agent.request(methods.agent.session.resume, { sessionId, cwd: dir, mcpServers: [] });
  await third.says(sessionId, "Still on");
  expect(third.said()).toBe("I heard: Still on");
});

test("[AC4] [AC5] an approval is a permission request with the change, and the call runs once it is allowed", async () => {
  const dir = careful();
  const { begin, says, said, permissions, calls } = await editor(dir, { permission: () => "approve" });
  const { sessionId } = await begin();
  expect(await says(sessionId, "Please write")).toBe("end_turn");
  expect(said()).toBe("Written.");
  const path = join(dir, "notes.md");
  expect(permissions).toMatchObject([
    {
      toolCall: { kind: "edit", locations: [{ path }], content: [{ type: "content" }, { type: "diff", path, newText: "Paint it blue." }] },
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
    },
  ]);
  expect(calls()).toMatchObject([
    { sessionUpdate: "tool_call", kind: "edit", status: "in_progress", content: [{ type: "diff", newText: "Paint it blue." }] },
    { sessionUpdate: "tool_call_update", status: "completed", content: [{ type: "diff" }, { type: "content" }] },
  ]);
  expect(readFileSync(path, "utf8")).toBe("Paint it blue.");
});

test("[AC5] allow always approves the like in this dialog, and reject once denies", async () => {
  const dir = careful();
  const always = await editor(dir, { permission: () => "approve-like" });
  const one = await always.begin();
  await always.says(one.sessionId, "Please write");
  await always.says(one.sessionId, "Please write");
  expect(always.permissions).toHaveLength(1);
  expect(always.permissions[0]?.options[1]?.name).toContain("write_file(notes.md)");
  await always.kill("SIGTERM");
  const never = await editor(dir, { permission: () => "deny" });
  const other = await never.begin();
  await never.says(other.sessionId, "Please write");
  expect(never.calls().at(-1)).toMatchObject({ status: "failed" });
});

test("[AC5] [AC15] allow always is not offered for a command with wildcards, and nothing in a title is invisible", async () => {
  const command = "rm -rf build/* # \u202egnp.exe\u001b[2J";
  const script = JSON.stringify({
    rules: [{ times: 1, do: { call: { tool: "run_command", input: { command } } } }, { do: { say: "Done." } }],
  });
  const settings = `defaults: { model: scripted/play }\npermissions: { run_command: ask }\nagents:\n  lead: { role: "You lead.", tools: [shell] }\n`;
  const dir = folder({ "colloquy.yaml": settings, "scripts/play.yaml": script, "src/kept.txt": "x" });
  const { begin, says, permissions, calls } = await editor(dir, { permission: () => "approve-like" });
  const { sessionId } = await begin();
  // Chosen without being offered, it decides nothing: the prompt ends, and the question stays open.
  expect(await says(sessionId, "Clean up")).toBe("end_turn");
  const [asked] = permissions;
  expect(asked?.options.map(({ optionId }) => optionId)).toEqual(["approve", "deny"]);
  expect(
    JSON.stringify([asked?.toolCall.title, asked?.options, calls().map((update) => ("title" in update ? update.title : ""))]),
  ).not.toMatch(/\\u202e|\\u001b|\u202e/i);
  expect(await open(dir)).toMatchObject([{ kind: "approval" }]);
  expect((JSON.parse((await colloquy(dir, "grants", "--json")).stdout) as { grants: unknown[] }).grants).toEqual([]);
});

test("[AC6] a question is a permission request with its choices, and one option leaves it open", async () => {
  const dir = project(ASKS);
  const { begin, says, said, permissions } = await editor(dir, {
    permission: () => (permissions.length === 1 ? "later" : "choice-1"),
  });
  const first = await begin();
  expect(await says(first.sessionId, "Please decide")).toBe("end_turn");
  expect(permissions[0]?.options.map(({ name }) => name)).toEqual(["A", "B", "Answer later"]);
  expect(await open(dir)).toMatchObject([{ headline: "Which one?" }]);
  const second = await begin();
  expect(await says(second.sessionId, "Please decide")).toBe("end_turn");
  expect(said()).toContain("So be it.");
});

test("[AC6] [AC8] a question is a form for editors that show forms; declining dismisses it, closing it leaves it open", async () => {
  const dir = project(ASKS);
  const responses: CreateElicitationResponse[] = [
    { action: "cancel" },
    { action: "decline" },
    { action: "accept", content: { choice: "B" } },
    { action: "accept", content: { choice: "Z" } },
  ];
  const { begin, says, forms, said } = await editor(dir, { form: () => responses[forms.length - 1] ?? { action: "cancel" } });
  const ask = async () => says((await begin()).sessionId, "Please decide");
  await ask();
  expect(await open(dir)).toHaveLength(1);
  expect(forms[0]).toMatchObject({
    mode: "form",
    requestedSchema: { properties: { choice: { oneOf: [{ const: "A" }, { const: "B" }] }, other: { type: "string" } } },
  });
  await ask();
  await ask();
  expect(await open(dir)).toHaveLength(1);
  expect(said().match(/So be it\./g)).toHaveLength(2);
  await ask();
  expect(said()).toContain("Your decision was refused");
  expect(await open(dir)).toHaveLength(2);
});

test("[AC7] a question that is answered elsewhere is taken back, and the prompt goes on", async () => {
  const dir = project(ASKS);
  let isTakenBack = false;
  const { begin, says, said, permissions } = await editor(dir, {
    permission: (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          isTakenBack = true;
          resolve(undefined);
        }),
      ),
  });
  const { sessionId } = await begin();
  const prompting = says(sessionId, "Please decide");
  prompting.catch(() => undefined);
  await expect.poll(() => permissions.length).toBe(1);
  const [question] = await open(dir);
  expect((await colloquy(dir, "answer", question?.id ?? "", "--choice", "1")).code).toBe(0);
  expect(await prompting).toBe("end_turn");
  expect({ isTakenBack, said: said() }).toEqual({ isTakenBack: true, said: "Let me ask.So be it." });
});

test("[AC9] cancelling stops the dialog, and the next prompt resumes it", async () => {
  const dir = project('rules:\n  - { when: { text: wait }, do: [{ wait: 4m }, { say: Late. }] }\n  - do: { say: "I heard: {{text}}" }\n');
  const { begin, says, said, agent } = await editor(dir);
  const { sessionId } = await begin();
  const prompting = says(sessionId, "wait");
  const state = async () =>
    (JSON.parse((await colloquy(dir, "ls", "--json")).stdout) as { dialogs: { state: string }[] }).dialogs.map((one) => one.state);
  await expect.poll(state).toEqual(["working"]);
  await agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await prompting).toBe("cancelled");
  expect(await state()).toEqual(["stopped"]);
  expect(await says(sessionId, "On")).toBe("end_turn");
  expect(said()).toContain("I heard: On");
});

test("[AC10] [AC3] the agents are modes, and another agent's words carry its name", async () => {
  const dir = careful();
  const { begin, says, said, agent } = await editor(dir);
  const { sessionId, modes } = await begin();
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["lead", "coder"]);
  await says(sessionId, "One");
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: "coder" });
  await says(sessionId, "Two");
  expect(said()).toContain("I heard: Two");
  const shown = (await colloquy(dir, "show", sessionId, "--json")).stdout;
  expect(shown).toContain("coder");
});

test("[AC11] images, links and embedded texts of a prompt reach the agent", async () => {
  const dir = project();
  const { begin, said, agent } = await editor(dir);
  const { sessionId } = await begin();
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "Look" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "resource_link", name: "plan.md", uri: "file:///plan.md" },
      { type: "resource", resource: { uri: "file:///a.md", text: "blue" } },
    ],
  });
  expect(said()).toContain("[plan.md](file:///plan.md)");
  expect(said()).toContain("```\nblue\n```");
  const { stdout } = await colloquy(dir, "log", sessionId, "--json");
  expect(stdout).toContain("image/png");
});

test("[AC12] [AC7] a server that is killed while a question waits is waited for, and nothing is asked twice", async () => {
  const dir = project(ASKS);
  const first = await serving(dir);
  const { begin, says, said, permissions } = await editor(dir, { permission: () => new Promise(() => {}) });
  const { sessionId } = await begin();
  const prompting = says(sessionId, "Please decide");
  await expect.poll(() => permissions.length).toBe(1);
  first.kill("SIGKILL");
  await first.ended;
  await serving(dir, first.port);
  const [question, ...others] = await open(dir);
  expect(others).toEqual([]);
  expect((await colloquy(dir, "answer", question?.id ?? "", "--choice", "2")).code).toBe(0);
  expect(await prompting).toBe("end_turn");
  expect({ said: said(), asked: permissions.length }).toEqual({ said: "Let me ask.So be it.", asked: 1 });
});

test("[AC12] [AC2] if colloquy acp is killed while it asks, the loaded session asks again and goes on", async () => {
  const dir = project(ASKS);
  const first = await editor(dir, { permission: () => new Promise(() => {}) });
  const { sessionId } = await first.begin();
  const lost = first.says(sessionId, "Please decide").catch((error: unknown) => error);
  await expect.poll(() => first.permissions.length).toBe(1);
  await first.kill("SIGKILL");
  expect(await lost).toBeInstanceOf(Error);
  const second = await editor(dir, { permission: () => "choice-0" });
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: dir, mcpServers: [] });
  await expect.poll(() => second.said()).toBe("Let me ask.So be it.");
  expect(second.permissions).toHaveLength(1);
});

test("[AC13] nonsense gets the protocol's errors, and changes nothing", async () => {
  const dir = project(ASKS);
  const { agent, begin, child, output, permissions } = await editor(dir, { permission: () => "no-such-option" });
  const code = (asked: Promise<unknown>) =>
    asked.then(
      () => undefined,
      (error: { readonly code?: number }) => error.code,
    );
  const { sessionId } = await begin();
  const words = [{ type: "text" as const, text: "Hi" }];
  expect(await code(agent.request(methods.agent.session.prompt, { sessionId: "nonsense", prompt: words }))).toBe(-32002);
  expect(await code(agent.request(methods.agent.session.load, { sessionId: "f".repeat(32), cwd: dir, mcpServers: [] }))).toBe(-32002);
  expect(await code(agent.request(methods.agent.session.prompt, { sessionId, prompt: [] }))).toBe(-32602);
  expect(
    await code(agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "audio", data: "", mimeType: "audio/wav" }] })),
  ).toBe(-32602);
  expect(await code(agent.request(methods.agent.session.setMode, { sessionId, modeId: "nobody" }))).toBe(-32602);
  expect(await code(agent.request("session/nothing", {}))).toBe(-32601);
  expect(await code(begin("/"))).toBe(-32602);
  child.stdin?.write("nonsense\n[]\n7\n");
  await expect
    .poll(
      () =>
        output()
          .split("\n")
          .filter((line) => line.includes("-32700") || line.includes("-32600")).length,
    )
    .toBeGreaterThan(1);
  expect((await colloquy(dir, "ls", "--json")).stdout).toContain('"dialogs":[]');
  expect(await prompt(agent, sessionId, "Please decide")).toBe("end_turn");
  expect(permissions).toHaveLength(1);
  expect(await open(dir)).toHaveLength(1);
});

test("[AC14] no other command loads the protocol's code, and a closed editor ends the server that it has become", async () => {
  const dir = project();
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) { if (/agentclientprotocol|packages.acp/.test(url)) console.error("loads", url); return next(url, context); } });`;
  const loaded = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  expect((await start(dir, ["ls"], { env: loaded }).ended).stderr).not.toContain("loads");
  const { child } = await editor(dir);
  expect(existsSync(join(dir, ".dialogs/server.json"))).toBe(true);
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
  expect(existsSync(join(dir, ".dialogs/server.json"))).toBe(false);
});
