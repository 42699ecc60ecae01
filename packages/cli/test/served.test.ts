import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCollector } from "../../tracing/test/collector.ts";
import { colloquy, inTerminal, isServed, ownTest, project, served } from "./support.ts";
import { team } from "./team.ts";

const servedTest = (name: string, work: () => Promise<void>): void => test.runIf(isServed)(name, work);

servedTest("[K100] a command finds the project's server, and its effects outlast the server", async () => {
  const dir = project();
  const serving = await served(dir);
  expect((await colloquy(dir, "new", "--wait", "Hello")).stdout).toBe("I heard: Hello\n");
  const [known] = serving?.projects[0]?.dialogs.list() ?? [];
  expect(known).toMatchObject({ title: "Hello", state: "idle" });
  expect(readFileSync(join(dir, ".dialogs/server.json"), "utf8")).toContain(serving?.url);
});

servedTest("[K100] tasks and search go through the server", async () => {
  const dir = project();
  const task = (await colloquy(dir, "tasks", "add", "--json", "Fix the date")).stdout;
  const { id } = JSON.parse(task) as { id: string };
  expect((await colloquy(dir, "tasks")).stdout).toContain("\topen\ttask\tFix the date\t");
  expect(JSON.parse((await colloquy(dir, "tasks", "show", "--json", id)).stdout)).toMatchObject({ title: "Fix the date" });
  expect(await colloquy(dir, "tasks", "run")).toMatchObject({ code: 1, stderr: "1 ready, but nobody takes them: task.\n" });
  expect((await colloquy(dir, "tasks", "close", id)).code).toBe(0);
  await colloquy(dir, "new", "Where is the kiwi?");
  expect((await colloquy(dir, "search", "kiwi")).stdout).toContain("Where is the kiwi?");
});

ownTest("[K100] the file of a dead or silent server is ignored", async () => {
  const dir = project();
  await colloquy(dir, "new", "Hello");
  for (const pid of [2 ** 22 + 1, process.pid]) {
    const file = { pid, url: "http://127.0.0.1:9", token: "none", startedAt: new Date().toISOString(), projectId: "none" };
    writeFileSync(join(dir, ".dialogs/server.json"), JSON.stringify(file), { mode: 0o600 });
    expect((await colloquy(dir, "send", "--wait", "@", "Again")).stdout).toBe("I heard: Again\n");
  }
});

servedTest("[K101] --server and --token, or the environment, name a server from anywhere", async () => {
  const dir = project();
  const serving = await served(dir);
  const { token } = JSON.parse(readFileSync(join(dir, ".dialogs/server.json"), "utf8")) as { token: string };
  const url = serving?.url ?? "";
  const elsewhere = "/";
  const made = await colloquy(elsewhere, "--server", url, "--token", token, "new", "--wait", "--json", "Hello");
  expect(made).toEqual({ code: 0, stdout: expect.stringContaining("I heard: Hello"), stderr: "" });
  const { rootId } = JSON.parse(made.stdout) as { rootId: string };
  const env = { COLLOQUY_SERVER: url, COLLOQUY_TOKEN: token };
  expect((await inTerminal(elsewhere, ["show", rootId], { env })).out).toContain("I heard: Hello");
  expect((await inTerminal(elsewhere, [], { env })).out).toContain(`1 idle · ${url}`);

  expect(await colloquy(elsewhere, "--server", url, "--token", "wrong", "ls")).toMatchObject({ code: 1, stdout: "" });
  expect((await colloquy(elsewhere, "--server", url, "--token", "wrong", "ls")).stderr).toMatch(/^This token is not known here\./);
  expect((await colloquy(elsewhere, "--server", url, "--token", token, "--project", "other", "ls")).code).toBe(3);
  expect(await colloquy(elsewhere, "--server", "nonsense", "ls")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--server takes"),
  });
  expect(await colloquy(elsewhere, "--server", url, "doctor")).toMatchObject({ code: 2, stderr: expect.stringContaining("no --server") });
  expect(await colloquy(elsewhere, "--server", "http://127.0.0.1:9", "ls")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9\./),
  });
});

servedTest("[K102] a client that leaves is told that the server continues; ls shows the work, and waiting can resume", async () => {
  const dir = project("rules: [{ when: { text: slow }, do: [{ wait: 2s }, { say: done }] }]\n");
  const left = await colloquy(dir, "new", "--wait", "--timeout", "1ms", "slow");
  const id = left.stderr.slice(0, 6);
  expect(left).toMatchObject({
    code: 1,
    stderr: `${id}\nNot finished after 1ms. The server continues it. Wait again: colloquy resume ${id}\n`,
  });
  expect((await colloquy(dir, "ls")).stdout).toMatch(/\tslow\tlead\tworking\t/);
  expect(await colloquy(dir, "resume", id, "--wait")).toEqual({ code: 0, stdout: "done\n", stderr: "" });
});

servedTest("[K69] [K102] the server's work is stopped along the assignments, and marked as done", async () => {
  const dir = team(
    "rules: [{ when: { agent: lead, step: 1 }, do: { call: { tool: tellaskSessionless, input: { targetAgentId: coder, tellaskContent: go } } } }, { when: { agent: coder }, do: [{ wait: 60s }, { say: done }] }]\n",
  );
  await colloquy(dir, "new", "--timeout", "1ms", "hi");
  expect((await colloquy(dir, "stop", "@", "--tree")).stdout).toMatch(/^[0-9a-f]{6}\tstopped\n$/);
  const states = (await colloquy(dir, "tree", "@")).stdout.split("\n").map((line) => line.split("\t")[5]);
  expect(states.slice(0, 2)).not.toContain("working");
  expect((await colloquy(dir, "done", "@")).code).toBe(0);
  expect((await colloquy(dir, "ls")).stdout).toContain("\tdone\t");
});

servedTest("[K103] doctor names the project's server, and repairs nothing meanwhile", async () => {
  const dir = project();
  await colloquy(dir, "new", "Hello");
  const looked = await colloquy(dir, "doctor");
  expect(looked.stdout).toMatch(/well\tserver\tworks on it, at http/);
  expect(looked.code).toBe(0);
  expect(await colloquy(dir, "doctor", "--fix")).toMatchObject({ code: 1, stderr: expect.stringContaining("Stop it first") });
});

servedTest("[OT17] doctor and the metrics show the progress of the trace export, and why it fails", async () => {
  const collector = await startCollector();
  const look = async (url: string, isThere: boolean) => {
    const dir = project();
    appendFileSync(join(dir, "colloquy.yaml"), `tracing: { url: "${url}" }\n`);
    const serving = await served(dir);
    const state = () => serving?.projects[0]?.tracing();
    await colloquy(dir, "new", "--wait", "Hello");
    if (isThere) await serving?.projects[0]?.flushTraces();
    else await expect.poll(() => state()?.failing).toBeDefined();
    const { token } = JSON.parse(readFileSync(join(dir, ".dialogs/server.json"), "utf8")) as { token: string };
    const text = await (await fetch(`${serving?.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    const figures = Object.fromEntries(
      [...text.matchAll(/^colloquy_trace_(\w+)\{.*\} (\d+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
    );
    return { ...(await colloquy(dir, "doctor")), figures };
  };
  const well = await look(collector.url, true);
  expect(well.stdout).toMatch(/well\ttraces\t[1-9]\d* spans sent since the server started, 0 commits behind/);
  expect(well).toMatchObject({ code: 0, figures: { commits_behind: 0, failing: 0 } });
  expect(well.figures.spans_sent_total).toBeGreaterThan(0);
  const away = await look("http://127.0.0.1:9", false);
  expect(away.stdout).toMatch(/problem\ttraces\tThey cannot be sent: .+ 0 spans sent since the server started, [1-9]\d* commits? behind/);
  expect(away).toMatchObject({ code: 1, figures: { spans_sent_total: 0, failing: 1 } });
  expect(away.figures.commits_behind).toBeGreaterThan(0);
});

servedTest("[K64] tree shows a server's running dialogs as working", async () => {
  const dir = project("rules:\n  - do: [{ wait: 10m }, { say: Done. }]\n");
  const serving = await served(dir);
  const { id = "" } = (await serving?.projects[0]?.dialogs.create({ content: "Hello" })) ?? {};
  expect((await colloquy(dir, "tree", id)).stdout).toContain("\tHello\tworking\t");
  expect((await inTerminal(dir, ["tree", id])).out).not.toContain("interrupted");
});
