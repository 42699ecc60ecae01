import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "@colloquy/testing";
import { TestClock, type World, world } from "@colloquy/testing/internals";
import { memoryBacking, memoryStore, type MemoryBacking, type Store } from "@colloquy/store";
import { expect, onTestFinished, test } from "vitest";
import { StoreSource } from "../src/store-source.ts";
import { Follower, type FollowerParts } from "../src/follower.ts";
import { Sender, type Verdict } from "../src/sender.ts";
import type { Span } from "../src/span.ts";
import { startCollector } from "./collector.ts";
import { outline, TEAM } from "./trace-story.ts";

const RESOURCE = { attributes: { "service.name": "test" }, version: "1" };
const target = (url: string, protocol: "http/json" | "http/protobuf" = "http/json") => ({
  tracesUrl: `${url}/v1/traces`,
  metricsUrl: `${url}/v1/metrics`,
  headers: { "x-key": "k" },
  protocol,
  timeoutMs: 10_000,
});

/** A world whose store is followed by a sender with its own clock. */
async function followed(send: FollowerParts["send"], disk: MemoryBacking = memoryBacking()) {
  let store: Store | undefined;
  const reports: string[] = [];
  const clock = new TestClock();
  const w: World = await world({
    telling: { lead: () => say("Hello.") },
    agents: TEAM.slice(0, 1),
    disk,
    through: (inner) => (store = inner),
  });
  if (!store) throw new Error("no store");
  const source = new StoreSource(store);
  const follower = new Follower({
    source,
    clock,
    options: {},
    send,
    place: "there",
    report: (message) => reports.push(message),
  });
  await follower.start();
  onTestFinished(() => follower.close());
  const talk = async (times: number) => {
    for (let nth = 0; nth < times; nth++) await (await w.project.dialogs.create({ content: `Hello ${nth}` })).result();
  };
  return { w, store, source, follower, clock, reports, talk, disk };
}

const accepting =
  (into: Span[]) =>
  async (spans: readonly Span[]): Promise<Verdict> => {
    into.push(...spans);
    return { kind: "accepted" };
  };
const turns = (spans: readonly Span[]) => spans.filter(({ name }) => name.startsWith("invoke_agent")).length;
/** The message of a failed assertion; "" if it holds. */
function failureOf(holds: () => void): string {
  try {
    holds();
    return "";
  } catch (error) {
    return String(error);
  }
}

/** Lets the follower's clock run until something is true. */
const passing = async (clock: TestClock, holds: () => void, ms = 5_000): Promise<void> => {
  const pass = () => {
    clock.advance(ms);
    return failureOf(holds);
  };
  await expect.poll(pass, { interval: 5 }).toBe("");
};

for (const protocol of ["http/json", "http/protobuf"] as const)
  test(`[OT15] a collector reads what is sent as ${protocol}`, async () => {
    const collector = await startCollector();
    const sender = new Sender(target(collector.url, protocol), RESOURCE);
    const span: Span = {
      traceId: "0123456789abcdef0123456789abcdef",
      spanId: "0123456789abcdef",
      parentId: "fedcba9876543210",
      name: "chat größer",
      kind: "client",
      startMs: Date.UTC(2026, 0, 1),
      endMs: Date.UTC(2026, 0, 1) + 1_500,
      attributes: {
        text: "ä",
        count: 12,
        negative: -3,
        large: 2 ** 40,
        share: 0.25,
        yes: true,
        no: false,
        absent: undefined,
        list: ["a", "b"],
      },
      events: [{ name: "asked", atMs: Date.UTC(2026, 0, 1), attributes: { by: "anna" } }],
      links: [{ spanId: "1111111111111111" }],
      isError: true,
    };
    expect(await sender.traces([span])).toEqual({ kind: "accepted" });
    const at = { startMs: 1_000, atMs: 2_000 };
    const samples = [{ labels: { project: "shop" }, value: 2.5 }];
    expect(
      await sender.metrics([
        { name: "colloquy.steps", help: "Steps.", unit: "1", kind: "counter", samples, ...at },
        { name: "colloquy.trees", help: "Trees.", unit: "1", kind: "gauge", samples, ...at },
      ]),
    ).toEqual({ kind: "accepted" });
    await expect.poll(() => collector.metrics.length).toBe(2);
    expect(collector.headers[0]).toMatchObject({ "x-key": "k" });
    expect(collector.resources).toEqual([{ "service.name": "test" }]);
    const [sent] = collector.spans;
    expect(sent).toMatchObject({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentId,
      name: span.name,
      kind: "SPAN_KIND_CLIENT",
      startTimeUnixNano: "1767225600000000000",
      endTimeUnixNano: "1767225601500000000",
      events: [{ name: "asked", attributes: { by: "anna" } }],
      links: [{ traceId: span.traceId, spanId: "1111111111111111" }],
      status: { code: "STATUS_CODE_ERROR" },
    });
    const numbers = ["count", "negative", "large"].map((name) => Number(sent?.attributes[name]));
    expect(numbers).toEqual([12, -3, 2 ** 40]);
    expect(sent?.attributes).toMatchObject({ text: "ä", share: 0.25, yes: true, no: false, list: ["a", "b"] });
    expect(Object.keys(sent?.attributes ?? {})).not.toContain("absent");
    expect(collector.metrics[0]?.sum?.dataPoints).toMatchObject([{ asDouble: 2.5, attributes: { project: "shop" } }]);
    expect(collector.metrics[1]?.gauge?.dataPoints).toMatchObject([{ asDouble: 2.5 }]);
  });

test("[OT10] an ended span is sent once, and the position is saved after it was accepted", async () => {
  const sent: Span[] = [];
  const { source, follower, clock, talk, disk } = await followed(accepting(sent));
  await talk(3);
  expect(disk.cursors.get("tracing")).toBe(0);
  await passing(clock, () => expect(disk.cursors.get("tracing")).toBe(disk.pos));
  expect(turns(sent)).toBe(3);
  await talk(1);
  await follower.flush();
  expect(turns(sent)).toBe(4);
  expect(new Set(sent.map(({ spanId }) => spanId)).size).toBe(sent.length);
  expect(follower.state).toEqual({ sentSpans: sent.length, failing: undefined });
  expect(source.behind).toBe(0);
});

test("[OT12] a collector that is away for an hour loses nothing, and people are told once", async () => {
  const sent: Span[] = [];
  let isAway = true;
  const { clock, reports, talk, disk, follower } = await followed(async (spans) =>
    isAway ? { kind: "later", why: "connect ECONNREFUSED" } : accepting(sent)(spans),
  );
  const until = clock.now() + 3_600_000;
  while (clock.now() < until) {
    if (clock.now() % 600_000 === 0) await talk(1);
    clock.advance(5_000);
    await new Promise((go) => setImmediate(go));
  }
  expect(follower.state).toMatchObject({ sentSpans: 0, failing: "connect ECONNREFUSED" });
  isAway = false;
  await passing(clock, () => expect(disk.cursors.get("tracing")).toBe(disk.pos));
  expect(turns(sent)).toBe(6);
  expect(new Set(sent.map(({ spanId }) => spanId)).size).toBe(sent.length);
  expect(reports).toEqual([
    "Traces cannot be sent to there: connect ECONNREFUSED. They are kept in the log and sent when it answers.",
    "Traces are sent to there again.",
  ]);
});

test("[OT12] an unreadable request is dropped and reported, a too large one is sent in halves", async () => {
  const sent: Span[] = [];
  const sizes: number[] = [];
  const { follower, reports, talk } = await followed(async (spans) => {
    sizes.push(spans.length);
    if (sizes.length === 1) return { kind: "too_large", why: "413" };
    return sizes.length === 2 ? { kind: "never", why: "400 what is that" } : accepting(sent)(spans);
  });
  await talk(2);
  await follower.flush();
  expect(sizes.slice(0, 3)).toEqual([8, 4, 4]);
  expect(reports).toEqual(["there refused 4 spans for good: 400 what is that"]);
  expect(sent).toHaveLength(4);
});

test("[OT13] tracing begins when it is first enabled; events from a later pause follow", async () => {
  const disk = memoryBacking();
  const before = await world({ telling: { lead: () => say("Hello.") }, agents: TEAM.slice(0, 1), disk });
  await (await before.project.dialogs.create({ content: "Before" })).result();
  await before.project.close();
  const sent: Span[] = [];
  const first = await followed(accepting(sent), disk);
  await first.talk(1);
  await first.follower.close();
  expect(turns(sent)).toBe(1);
  await first.talk(2);
  await first.w.project.close();
  const second = await followed(accepting(sent), disk);
  await passing(second.clock, () => expect(turns(sent)).toBe(3));
  expect(new Set(sent.map(({ spanId }) => spanId)).size).toBe(sent.length);
});

test("[OT11] whenever the sender dies, the next one sends the rest with the same ids", async () => {
  const whole: Span[] = [];
  const story = async (send: FollowerParts["send"]) => {
    const disk = memoryBacking();
    const one = await followed(send, disk);
    await one.talk(4);
    return { one, disk };
  };
  const { one } = await story(accepting(whole));
  await one.follower.flush();
  const ids = new Set(whole.map(({ spanId }) => spanId));
  // It dies while a request is under way: the collector has it, or not; the position is not saved in either case.
  for (const isReceived of [true, false])
    for (let nth = 0; nth < 3; nth++) {
      const sent: Span[] = [];
      let requests = 0;
      const { disk } = await story(async (spans, signal) => {
        requests += 1;
        if (requests <= nth) return accepting(sent)(spans);
        if (isReceived) sent.push(...spans);
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "later", why: "it died" })));
      }).then(async ({ one: dying, disk: left }) => {
        for (let n = 0; n <= nth; n++) {
          void dying.follower.flush().catch(() => undefined);
          await expect.poll(() => requests).toBeGreaterThan(n);
          await dying.talk(n < nth ? 1 : 0);
        }
        return { disk: left };
      });
      const next = await followed(accepting(sent), disk);
      await next.follower.flush();
      expect(turns([...new Map(sent.map((span) => [span.spanId, span])).values()])).toBe(4 + nth);
      if (nth === 0) expect(new Set(sent.map(({ spanId }) => spanId))).toEqual(ids);
    }
});

test("[OT10] commits beyond its memory are read again from the log", async () => {
  const sent: Span[] = [];
  const backing = memoryBacking();
  const { follower, talk } = await followed(accepting(sent), backing);
  await talk(4_500);
  await follower.flush();
  expect(turns(sent)).toBe(4_500);
  expect(new Set(sent.map(({ spanId }) => spanId)).size).toBe(sent.length);
  expect(backing.cursors.get("tracing")).toBe(backing.pos);
});

test("[OT11] the position of a store that another process took over is not saved", async () => {
  const backing = memoryBacking();
  const { follower, talk } = await followed(accepting([]), backing);
  await talk(1);
  memoryStore(backing);
  await expect(follower.flush()).rejects.toThrow("closed");
  expect(backing.cursors.get("tracing")).toBe(0);
});

/** The next line of a process's output. */
const nextLine = (child: ChildProcess): Promise<{ readonly question?: string; readonly done?: boolean }> =>
  new Promise((resolve, reject) => {
    let text = "";
    const onData = (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes("\n")) return;
      child.stdout?.off("data", onData);
      resolve(JSON.parse(text) as { question?: string });
    };
    child.stdout?.on("data", onData);
    child.once("close", () => reject(new Error(`It ended: ${text}`)));
  });

const VICTIM = fileURLToPath(new URL("victim.ts", import.meta.url));
const opened = (dir: string, url: string, ...more: readonly string[]) => {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: "shop" };
  const child = spawn(process.execPath, [VICTIM, dir, ...more], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
};

test("[OT1] [OT11] a delegation to two with a pause, a kill -9 and a resume is one connected trace at a real collector", async () => {
  const collector = await startCollector();
  const dir = mkdtempSync(join(tmpdir(), "traced-"));
  const first = opened(dir, collector.url, "Do it");
  const { question } = await nextLine(first);
  expect(question).toBeDefined();
  const gone = new Promise((resolve) => first.once("close", resolve));
  first.kill("SIGKILL");
  await gone;
  const second = opened(dir, collector.url);
  expect(await nextLine(second)).toEqual({ question });
  second.stdin?.write("answer\n");
  expect(await nextLine(second)).toEqual({ done: true });
  await expect.poll(() => collector.named("invoke_agent Lead").length).toBe(1);
  const spans = collector.distinct();
  const shown = spans.map((span) => ({
    ...span,
    parentId: span.parentSpanId,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  }));
  expect(outline(shown).filter((line) => !line.startsWith("  "))).toEqual(["colloquy.dialog"]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "chat model",
    "chat model",
    "chat model",
    "chat model",
    "chat model",
    "colloquy.ask Coder",
    "colloquy.ask Reviewer",
    "colloquy.dialog",
    "colloquy.question question",
    "execute_tool askHuman",
    "execute_tool delegate",
    "invoke_agent Coder",
    "invoke_agent Lead",
    "invoke_agent Reviewer",
    "tenex.agent.execute",
    "tenex.agent.execute",
    "tenex.agent.execute",
    "tenex.agent.execute",
    "tenex.agent.execute",
    "tenex.delegation.completion_check",
    "tenex.delegation.completion_check",
    "tenex.delegation.resumption",
  ]);
  const attributes = spans.flatMap((span) => Object.keys(span.attributes));
  expect(attributes).toEqual(
    expect.arrayContaining([
      "delegation.all_complete",
      "delegation.pending_count",
      "delegation.completed_count",
      "delegation.event_id",
      "ral.status",
      "ral.pending_delegations",
      "gen_ai.usage.input_tokens",
      "colloquy.question.waited_ms",
    ]),
  );
  expect(collector.resources[0]).toMatchObject({ "service.name": "shop", "telemetry.sdk.name": "colloquy" });
});
