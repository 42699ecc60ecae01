import { type ChildProcess, spawn } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describeServers } from "@colloquy/library";
import { call, calls, say } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "../../tracing/test/collector.ts";
import { diaryOf, EVERYTHING, everything, folder, isAlive, modern, open, type Setting, small, writeSettings } from "./support.ts";

/** An unused port. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

const numberIn = (lines: readonly string[], word: string): number => Number(lines.find((line) => line.startsWith(word))?.split(" ")[1]);

test("[MC2][MC3][MC4][MC5] a real server over stdio: its tools are offered, run by their hints, and give all kinds of results", async () => {
  const { project, requests, results } = await open({
    servers: { everything },
    tools: ["everything"],
    telling: {
      lead: [
        calls(
          ["everything__echo", { message: "hello" }],
          ["everything__get-tiny-image", {}],
          ["everything__get-structured-content", { location: "Chicago" }],
          ["everything__get-resource-links", { count: 2 }],
          ["everything__get-resource-reference", { resourceType: "Blob", resourceId: 1 }],
          ["everything__get-sum", { a: "no number" }],
          ["everything__toggle-simulated-logging", {}],
        ),
        say("Done."),
      ],
    },
  });
  expect(project.agents.servers()).toMatchObject([{ name: "everything", state: "not started" }]);
  const dialog = await project.dialogs.create({ content: "Try all of it" });
  expect(await dialog.result()).toBe("Done.");
  expect(project.agents.servers()).toMatchObject([{ state: "up" }]);

  const offer = requests[0]?.tools.find(({ name }) => name === "everything__echo");
  expect(offer).toMatchObject({ description: "Echoes back the input string", input: { type: "object", required: ["message"] } });
  expect(offer?.input).not.toHaveProperty("$schema");

  const ended = await results(dialog.id);
  const outputs = ended.map(({ output }) => output).join("\n---\n");
  expect(outputs).toContain("Echo: hello");
  expect(outputs).toMatch(/\[image\/png, \d+ bytes, kept beside the dialog's log as [0-9a-f]{32}-1\.png\]/);
  expect(outputs.match(/"temperature":\s*36/g)).toHaveLength(1);
  expect(outputs).toMatch(/: demo:\/\/resource\/dynamic\//);
  expect(outputs).toMatch(/\[demo:\/\/resource\/dynamic\/blob\/1\]\n\[.*bytes, kept/);
  expect(ended.filter(({ outcome }) => outcome === "refused")).toMatchObject([{ output: expect.stringMatching(/invalid input.*number/s) }]);

  const events = (await project.dialogs.events(dialog.id)).flatMap((line) => line.events);
  const parts = events.flatMap((event) => (event.type === "step.ended" ? event.parts : []));
  expect(parts.find((part) => "tool" in part && part.tool.endsWith("echo"))).toMatchObject({ kind: "reads", repeatable: true });
  expect(parts.find((part) => "tool" in part && part.tool.endsWith("logging"))).toMatchObject({ kind: "effects" });
  expect(events.filter((event) => event.type === "call.started")).toHaveLength(1);
});

/** The real server, on a port. */
async function serve(port: number): Promise<ChildProcess> {
  const env = { PORT: String(port) };
  const server = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  await new Promise<void>((resolve) => server.stderr.on("data", (text: Buffer) => text.toString().includes("listening") && resolve()));
  return server;
}

test("[MC6][MC9][MC13] the same over streamable HTTP: tools, questions, and a restarted server", async () => {
  const port = await freePort();
  const server = await serve(port);
  const { project, results } = await open({
    servers: { remote: { url: "http://127.0.0.1:${PORT}/mcp", headers: { "X-Who": "colloquy" } } },
    tools: ["remote"],
    env: { PORT: String(port) },
    telling: {
      lead: [
        call("remote__echo", { message: "over there" }),
        call("remote__trigger-elicitation-request"),
        say("Heard."),
        call("remote__echo", { message: "lost" }),
        call("remote__echo", { message: "found" }),
        say("Again."),
      ],
    },
  });
  const dialog = await project.dialogs.create({ content: "Say it" });
  await project.dialogs.quiet(dialog.id);
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? ("" as never), { content: '{"name": "Anna"}' });
  expect(await dialog.result()).toBe("Heard.");
  const outputs = (await results(dialog.id)).map(({ output }) => output);
  expect(outputs[0]).toBe("Echo: over there");
  expect(outputs[1]).toContain("- Name: Anna");

  const gone = new Promise((resolve) => server.on("exit", resolve));
  server.kill("SIGKILL");
  await gone;
  await serve(port);
  await dialog.send("Once more");
  expect(await dialog.result()).toBe("Again.");
  const [lost, found] = (await results(dialog.id)).slice(-2);
  expect(lost).toMatchObject({ outcome: "error", output: expect.stringContaining("You may call again") });
  expect(found?.output).toBe("Echo: found");
});

test("[MC2] a single tool may be named, and odd names and schemas are adapted for the model", async () => {
  const { project, requests } = await open({
    servers: { small: small("well") },
    tools: ["small__pay", "small__odd.name/of a tool"],
    telling: { lead: [call("small__odd.name/of a tool", { a: 1 }), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("Done.");
  const offers = requests[0]?.tools.filter(({ name }) => name.startsWith("small__")) ?? [];
  expect(offers.map(({ name }) => name)).toEqual(["small__pay", "small__odd.name/of a tool"]);
  expect(offers[0]?.input).toEqual({ type: "object", properties: { to: { type: "string" } } });
  expect(offers[0]?.description).toContain('"required":["to"]');
});

test("[MC4] a call with destructiveHint asks a person first", async () => {
  const { project, results } = await open({
    servers: { small: small("well") },
    tools: ["small"],
    telling: { lead: [call("small__wipe"), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Wipe it" });
  await project.dialogs.quiet(dialog.id);
  const [question] = await project.questions.list();
  expect(question).toMatchObject({ kind: "approval", tool: "small__wipe", classes: ["destructive"] });
  await project.questions.approve(question?.id ?? ("" as never), { shown: question?.shown ?? "" });
  expect(await dialog.result()).toBe("Done.");
  expect((await results(dialog.id))[0]?.output).toContain("wipe {}");
});

test("[MC7] a server gets only the keys it names, and their values are masked in its output", async () => {
  const env = { OPENAI_API_KEY: "sk-0123456789", MY_SECRET: "hush-0123456789", MY_TOKEN: "other-0123456789" };
  const { project, results } = await open({
    servers: { small: small("well", undefined, { env: { MY_TOKEN: "${MY_SECRET}", LEVEL: "debug" } }) },
    tools: ["small"],
    env,
    telling: { lead: [call("small__look"), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  await dialog.result();
  const [ended] = await results(dialog.id);
  const names = ended?.output.split(" ") ?? [];
  expect(names).toContain("MY_TOKEN");
  expect(names).toContain("LEVEL");
  for (const name of Object.keys(env).filter((one) => one !== "MY_TOKEN")) expect(names).not.toContain(name);
  expect(ended?.output).toMatch(/\[masked\]$/);
});

test.each([
  ["that quits", small("quits"), /ended|closed.*cannot find my settings/i],
  ["that is not there", { command: "/nowhere/at/all" }, /There is no program of that name/],
  ["that says nonsense", small("nonsense", undefined, { startTimeout: "1s" }), /did not answer within 1 s/],
  ["that is silent", small("silent", undefined, { startTimeout: "1s" }), /did not answer within 1 s/],
  ["that lists nothing in time", small("no-list", undefined, { startTimeout: "1s" }), /did not answer within 1 s/],
  ["without its key", small("well", undefined, { env: { A_TOKEN: "${A_TOKEN}" } }), /env\.A_TOKEN needs A_TOKEN, which is not set/],
  ["at an address where nobody is", { url: "http://127.0.0.1:9/mcp" }, /broken__\*: \S/],
])("[MC8][MC16] a server %s is a word to the agent and a line of doctor; the other one works", async (_what, broken, why) => {
  const { project, dir, requests, results } = await open({
    servers: { broken, fine: small("well") },
    tools: ["broken", "fine"],
    telling: { lead: [calls(["broken__look", {}], ["fine__look", {}]), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("Done.");
  expect(requests[0]?.system.join("\n")).toMatch(why);
  const ended = await results(dialog.id);
  expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(["refused", undefined]));
  expect(ended.find(({ outcome }) => outcome)?.output).toContain(
    "broken__look was not run: it is not available right now. The server broken is not available.",
  );
  const described = await describeServers(dir, { PATH: process.env["PATH"] });
  expect(described).toMatchObject([
    { name: "broken", state: "down", usedBy: ["lead"] },
    { name: "fine", state: "up", why: undefined },
  ]);
  expect(described[1]?.tools).toContain("fine__look");
});

test("[MC9] a killed server is restarted by the next call; the interrupted call ends as unknown", async () => {
  const diary = join(folder(), "diary");
  const { project, results } = await open({
    servers: { small: small("well", diary), dying: small("dies") },
    tools: ["small", "dying"],
    telling: {
      lead: ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("Look")) return call("small__look");
        if (last.includes("Die")) return calls(["dying__look", {}], ["dying__pay", { to: "x" }]);
        return say("Done.");
      },
    },
  });
  const dialog = await project.dialogs.create({ content: "Look" });
  await dialog.result();
  const [first] = project.agents.servers();
  process.kill(first?.pid ?? 0, "SIGKILL");
  await expect.poll(() => project.agents.servers()[0]?.state).toBe("down");
  await dialog.send("Look");
  await dialog.result();
  expect(project.agents.servers()[0]).toMatchObject({ state: "up" });
  expect(diaryOf(diary).filter((line) => line.startsWith("started"))).toHaveLength(2);

  await dialog.send("Die");
  await dialog.result();
  const [read, paid] = (await results(dialog.id)).slice(-2);
  expect(read).toMatchObject({ outcome: "error", output: expect.stringContaining("You may call again") });
  expect(paid).toMatchObject({
    outcome: "unknown",
    output: expect.stringMatching(
      /^The server dying went away during the call\..* Whether it took effect is unknown: look before you try again\.$/s,
    ),
  });
});

test("[MC10] a stop and a timeout cancel the call at the server, which keeps running", async () => {
  const diary = join(folder(), "diary");
  const { project, results } = await open({
    servers: { small: small("hangs", diary, { timeout: "1s" }) },
    tools: ["small"],
    telling: { lead: [call("small__pay", { to: "x" }), call("small__pay", { to: "y" }), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  await expect.poll(() => diaryOf(diary)).toContain("call pay");
  await project.dialogs.stop(dialog.id);
  await project.dialogs.resume(dialog.id);
  expect(await dialog.result()).toBe("Done.");
  const [stopped, late] = await results(dialog.id);
  expect(stopped).toMatchObject({ outcome: "unknown", output: expect.stringContaining("was stopped while it ran") });
  expect(late).toMatchObject({ outcome: "unknown", output: expect.stringContaining("did not finish within 1 s") });
  await expect.poll(() => diaryOf(diary).filter((line) => line === "cancelled")).toHaveLength(2);
  expect(diaryOf(diary).filter((line) => line.startsWith("started"))).toHaveLength(1);
});

test("[MC11] a server's new tools are offered from the next step on", async () => {
  const { project, requests } = await open({
    servers: { small: small("grows") },
    tools: ["small"],
    telling: { lead: [call("small__look"), say("Wait."), call("small__grow"), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  await dialog.result();
  await expect.poll(() => project.agents.servers()[0]?.tools).toContain("small__grow");
  await dialog.send("And now?");
  expect(await dialog.result()).toBe("Done.");
  expect(requests.at(-1)?.tools.map(({ name }) => name)).toContain("small__grow");
});

test("[MC12] closing the project ends every server process, even one that ignores signals", async () => {
  const diary = join(folder(), "diary");
  const { project } = await open({
    servers: { small: small("stubborn", diary), everything },
    tools: ["small", "everything"],
    telling: { lead: [say("Done.")] },
  });
  await (await project.dialogs.create({ content: "Go" })).result();
  const pids = [...project.agents.servers().map(({ pid }) => pid ?? 0), numberIn(diaryOf(diary), "child")];
  expect(pids.every(isAlive)).toBe(true);
  await project.close();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect(diaryOf(diary)).toContain("asked to end");
});

test("[MC17] changed settings count from the next step on, and the old process ends", async () => {
  const diary = join(folder(), "diary");
  const { project, dir, requests } = await open({
    servers: { small: small("well", diary) },
    tools: ["small"],
    telling: { lead: [say("One."), say("Two.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  await dialog.result();
  writeSettings(dir, { other: modern(diary) }, ["other"]);
  await dialog.send("Again");
  await dialog.result();
  const names = requests
    .at(-1)
    ?.tools.map(({ name }) => name)
    .filter((name) => name.includes("__"));
  expect(names).toEqual(["other__order"]);
  await expect.poll(() => diaryOf(diary)).toContain("ended");
});

test("[MC18] an approved call whose input no longer fits is not sent; one whose tool is gone waits", async () => {
  const dir = folder();
  const diary = join(dir, "diary");
  const setting = (mode: string): Setting => ({
    dir,
    servers: { small: small(mode, diary) },
    tools: ["small"],
    telling: { lead: ({ messages }) => (messages.at(-1)?.role === "result" ? say("Done.") : call("small__wipe")) },
  });
  const approved = async () => {
    const { project } = await open(setting("well"));
    const dialog = await project.dialogs.create({ content: "Wipe it" });
    await project.dialogs.quiet(dialog.id);
    await project.close();
    const asking = (await open({ ...setting("well"), options: { drive: "none" } })).project;
    const [question] = await asking.questions.list();
    await asking.questions.approve(question?.id ?? "", { shown: question?.shown ?? "" });
    await asking.close();
    return dialog.id;
  };
  const unfit = await approved();
  const stricter = await open(setting("stricter"));
  expect(await stricter.project.dialogs.result(unfit)).toBe("Done.");
  expect(await stricter.results(unfit)).toMatchObject([{ outcome: "refused", output: expect.stringMatching(/invalid input.*disk/s) }]);
  await stricter.project.close();

  const gone = await approved();
  const poorer = (await open(setting("poorer"))).project;
  await poorer.dialogs.quiet(gone);
  expect((await poorer.dialogs.view(gone)).stopped).toMatchObject({ code: "tool_gone", message: expect.stringContaining("small__wipe") });
  await poorer.close();
  const broken = (await open(setting("quits"))).project;
  await broken.dialogs.resume(gone);
  await broken.dialogs.quiet(gone);
  expect((await broken.dialogs.view(gone)).stopped).toMatchObject({
    code: "tool_gone",
    message: expect.stringContaining("cannot find my settings"),
  });
  expect(diaryOf(diary)).not.toContain("call wipe");
  // Fixed while the process runs: the person's resume retries it at once.
  writeSettings(dir, { small: small("well", diary) }, ["small"]);
  await broken.dialogs.resume(gone);
  expect(await broken.dialogs.result(gone)).toBe("Done.");
  expect(diaryOf(diary).filter((line) => line === "call wipe")).toHaveLength(1);
});

test("[MC19] a server that ignores unknown requests starts without a long wait", async () => {
  const diary = join(folder(), "diary");
  const { project, results } = await open({
    servers: { small: small("ignores", diary) },
    tools: ["small"],
    telling: { lead: [call("small__look"), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Look" });
  expect(await dialog.result()).toBe("Done.");
  expect(await results(dialog.id)).toMatchObject([{ output: expect.stringContaining("look {}") }]);
  const at = (word: string) => numberIn(diaryOf(diary), word);
  expect(at("initialized") - at("ignored")).toBeLessThan(8); // ten seconds would be too long; two are expected
});

test.each([
  ["a wrong token", { tokenEnv: "REMOTE_TOKEN" }, "It refused the token (401). Check REMOTE_TOKEN."],
  [
    "no token",
    {},
    "It wants a token (401). Name the variable that holds it: mcp.servers.remote.tokenEnv. Or sign in: colloquy mcp login remote",
  ],
])("[MC20] %s is the first thing that is said", async (_what, more, why) => {
  const server = createHttpServer((_request, response) => void response.writeHead(401, { "WWW-Authenticate": "Bearer" }).end("no"));
  await new Promise<void>((up) => server.listen(0, "127.0.0.1", up));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { project } = await open({
    servers: { remote: { url: `http://127.0.0.1:${port}/mcp`, ...more } },
    tools: ["remote"],
    env: { REMOTE_TOKEN: "wrong-token-of-somebody" },
    telling: { lead: [say("Done.")] },
  });
  await (await project.dialogs.create({ content: "Go" })).result();
  expect(project.agents.servers()).toMatchObject([{ state: "down", why }]);
});

test("[MC5] a server's answer with isError is an error", async () => {
  const { project, results } = await open({
    servers: { small: small("fails") },
    tools: ["small"],
    telling: { lead: [call("small__look"), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Look" });
  await dialog.result();
  expect(await results(dialog.id)).toMatchObject([{ outcome: "error", output: "It is dark." }]);
});

test("[OT21] while tracing is on, a call carries its span to the server", async () => {
  const collector = await startCollector();
  const diary = join(folder(), "diary");
  const { project } = await open({
    servers: { small: small("well", diary) },
    tools: ["small"],
    telling: { lead: [call("small__look", {}), say("Done.")] },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  await (await project.dialogs.create({ content: "Look" })).result();
  await project.flushTraces();
  const [looking] = collector.named("execute_tool small__look");
  expect(diaryOf(diary)).toContain(`traceparent 00-${looking?.traceId}-${looking?.spanId}-01`);
});
