import { existsSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { openProject, type Project } from "@colloquy/library";
import type { Model, ModelChunk } from "@colloquy/models";
import { startServer } from "@colloquy/server";
import { type Browser, chromium, type Page } from "playwright-core";
import { newFolder } from "./bare.ts";
import { type Figure, Skipped } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const TOKEN = "a-token-for-the-bench-that-is-long-enough";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const webDir = join(import.meta.dirname, "../../dist/web");

/** Measures a person's browser. Needs a browser, and the built app. */
async function withPage<Result>(project: Project, look: (page: Page, address: string) => Promise<Result>): Promise<Result> {
  if (!existsSync(CHROMIUM)) throw new Skipped(`there is no Chromium at ${CHROMIUM}; CHROMIUM names another`);
  if (!existsSync(join(webDir, "index.html"))) throw new Skipped("the web app is not built: npm run build");
  const server = await startServer({ projects: [project], token: TOKEN, port: 0, version: "bench", webDir, report: console.error });
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    await page.addInitScript({ content: watchLongTasks });
    // The link sets the cookie and fills the browser's cache, as for a returning user.
    await page.goto(`${server.url}/#token=${TOKEN}`);
    return await look(page, server.url);
  } finally {
    await browser?.close();
    await server.close();
    await project.close();
  }
}

/** Runs in the page, so it is text: the browser reports every task that kept it busy for more than 50 ms. */
const watchLongTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
`;

/** The long tasks since the last call. */
const longTasks = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks.splice(0));

const longest = (tasks: readonly number[]): number => tasks.reduce((most, one) => Math.max(most, one), 0);
/** Tasks take longer on a busy machine, so the note gives the load. */
const told = (tasks: readonly number[]): string =>
  `${tasks.length} over 50 ms; load ${(loadavg()[0] ?? 0).toFixed(1)} on ${cpus().length} cores`;

/** A task of the page's main thread: its duration and its processor time, in milliseconds. */
interface Task {
  readonly ms: number;
  readonly cpuMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Tasks of the page's main thread during an action. Processor time does not depend on the machine's other work. */
async function traced(page: Page, act: () => Promise<void>): Promise<readonly Task[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser to trace.");
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as { traceEvents: readonly TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  return traceEvents
    .filter(({ name, pid, tid }) => name === "RunTask" && mains.some((main) => main.pid === pid && main.tid === tid))
    .map(({ dur = 0, tdur = dur }) => ({ ms: dur / 1_000, cpuMs: tdur / 1_000 }));
}

function longestTask(tasks: readonly Task[]): Pick<Figure, "value" | "unit" | "note"> {
  const wallMs = longest(tasks.map(({ ms }) => ms));
  const note = `${wallMs.toFixed(0)} ms on the clock; load ${(loadavg()[0] ?? 0).toFixed(1)} on ${cpus().length} cores`;
  return { value: longest(tasks.map(({ cpuMs }) => cpuMs)), unit: "ms of CPU, longest task", note };
}

/** The page's JavaScript heap after a collection, in MB. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1_000_000;
}

const MESSAGES = 10_000;
const REPLY = `The pool was **too small** for the new workers.\n\n- before: 12 of 400 requests failed\n- after: none\n\n\`\`\`ts\nconst pool = new Pool({ max: 32 });\n\`\`\`\n\n${WORDS}`;

/** Opening a dialog of 10,000 messages, and reading back through it. */
export async function longPage(): Promise<Figure[]> {
  const project = await benchProject("page-long", () => ({ say: REPLY }));
  const dialog = await project.dialogs.create({ content: `1: ${WORDS}` });
  await project.dialogs.quiet(dialog.id);
  for (let turn = 2; turn <= MESSAGES / 2; turn++) {
    await dialog.send(`${turn}: ${WORDS}`);
    await project.dialogs.quiet(dialog.id);
  }
  return withPage(project, async (page, url) => {
    const log = page.getByRole("log");
    const opening = await traced(page, async () => {
      await page.goto(`${url}/d/${dialog.id}`);
      await log.getByText(`${MESSAGES / 2}: `).waitFor();
      await settled(page);
    });
    const heap = await heapMb(page);
    // A page of the keyboard at a time, as fast as the page answers, until a few thousand messages have been loaded.
    const box = await log.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 300);
    const reading = await traced(page, async () => {
      for (let nth = 0; nth < 150; nth++) {
        await page.mouse.wheel(0, -1_200);
        await page.evaluate("new Promise(requestAnimationFrame)");
      }
      await settled(page);
    });
    return [
      { name: "opening a dialog of 10,000 messages", ...longestTask(opening), limit: 100 },
      { name: "  its memory", value: heap, unit: "MB of JavaScript heap", limit: 20, note: "after a garbage collection" },
      { name: "  reading back through it", ...longestTask(reading), limit: 200 },
    ];
  });
}

/** The page has nothing left to do. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate("new Promise((resolve) => requestIdleCallback(() => resolve()))");
}

const CHUNKS = 1_000;
const CHUNK_MS = 10;

/** A model that says a hundred chunks in a second, in a dialog that is watched. */
export async function streamingPage(): Promise<Figure[]> {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const text = Array.from({ length: 60 }, (_, nth) => `## Part ${nth + 1}\n\n${REPLY}\n\n`).join("");
  const model: Model = {
    name: "bench/chunks",
    provider: "bench",
    contextWindow: undefined,
    price: undefined,
    async *stream(): AsyncGenerator<ModelChunk> {
      yield { type: "saying.started" };
      await begun;
      const size = Math.ceil(text.length / CHUNKS);
      const from = performance.now();
      for (let nth = 0; nth < CHUNKS; nth++) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + nth * CHUNK_MS - performance.now())));
        yield { type: "saying.chunk", text: text.slice(nth * size, (nth + 1) * size) };
      }
      yield { type: "saying.finished" };
      yield { type: "finished", usage: { input: 1, output: 1 }, sessionId: undefined };
    },
  };
  const project = await openProject({
    dir: newFolder("page-stream"),
    agents: [{ id: "lead", role: "You speak." }],
    model: model.name,
    findModel: () => model,
  });
  return withPage(project, async (page, url) => {
    const dialog = await project.dialogs.create({ content: "Speak" });
    await page.goto(`${url}/d/${dialog.id}`);
    await page.getByRole("log").getByText("Speak").waitFor();
    await settled(page);
    await longTasks(page);
    const startedAt = performance.now();
    begin();
    await page.getByRole("log").getByRole("heading", { name: "Part 60" }).waitFor({ timeout: 60_000 });
    const seconds = (performance.now() - startedAt) / 1_000;
    await project.dialogs.quiet(dialog.id);
    await settled(page);
    const tasks = await longTasks(page);
    const note = `${(CHUNKS / seconds).toFixed(0)} chunks/s, ${(text.length / 1_000).toFixed(0)} kB of Markdown; ${told(tasks)}`;
    return [{ name: "streaming at 100 chunks/s", value: longest(tasks), unit: "ms, longest task", limit: 100, note }];
  });
}

/** The size of what the inbox loads before it shows anything. */
export async function firstLoad(): Promise<Figure[]> {
  const project = await benchProject("page-first", () => ({ say: "Yes." }));
  return withPage(project, async (page, url) => {
    const sizes: number[] = [];
    const html = await (await page.goto(url))?.text();
    const files = [...(html ?? "").matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].flatMap(([, file]) => file ?? []);
    for (const file of files) {
      const answer = await fetch(new URL(file, url), { headers: { "accept-encoding": "gzip" } });
      sizes.push(Number(answer.headers.get("content-length")));
    }
    const size = sizes.reduce((sum, one) => sum + one, 0) / 1_000;
    return [
      { name: "first load of the inbox", value: size, unit: "kB of JavaScript", limit: 210, note: `${files.length} files, compressed` },
    ];
  });
}
