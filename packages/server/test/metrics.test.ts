import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "../../tracing/test/collector.ts";
import { readServerFile } from "../src/server-file.ts";
import { serve } from "../src/serve.ts";
import { served, TOKEN } from "./support.ts";

const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name).sort();
const read = async (url: string, token: string) =>
  (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();

/** A served project whose figures go there. */
async function sending(url: string, intervalMs: number) {
  const dir = mkdtempSync(join(tmpdir(), "measured-"));
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  const reports: string[] = [];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: "none", OTEL_METRIC_EXPORT_INTERVAL: String(intervalMs) };
  const serving = await serve({ dirs: [dir], env, port: 0, version: "test", report: (message) => reports.push(message) });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= serving.close());
  onTestFinished(close);
  return { serving, close, reports, token: readServerFile(dir)?.token ?? "" };
}

test("[OT18] a collector gets the figures of /metrics at the interval, and when the server stops", async () => {
  const collector = await startCollector();
  const often = await sending(collector.url, 50);
  const names = namesIn(await read(often.serving.url, often.token));
  const sent = () => [...new Set(collector.metrics.map(({ name }) => name))].sort();
  await expect.poll(sent).toContain("colloquy_memory_bytes");
  // Figures without a value (nobody called the API, traces are off) may be left out by a collector.
  expect(names).toEqual(expect.arrayContaining(sent()));
  expect(sent()).toEqual(expect.arrayContaining(["colloquy_commits_total", "colloquy_sockets", "colloquy_trees"]));
  const commits = collector.metrics.find(({ name }) => name === "colloquy_commits_total");
  expect(commits?.sum?.dataPoints[0]?.attributes).toEqual({ project: often.serving.projects[0]?.dir.split("/").at(-1) });
  await often.close();
  collector.metrics.length = 0;
  const seldom = await sending(collector.url, 3_600_000);
  expect(collector.metrics).toEqual([]);
  await seldom.close();
  await expect.poll(sent).toContain("colloquy_memory_bytes");
});

test("[OT18] people are told once that figures cannot be sent", async () => {
  const collector = await startCollector();
  const { url } = collector;
  await collector.stop();
  const { reports } = await sending(url, 20);
  const told = () => reports.filter((report) => report.startsWith(`Metrics cannot be sent to ${url}/v1/metrics: `));
  await expect.poll(() => told().length).toBe(1);
  const back = await startCollector(Number(new URL(url).port));
  await expect.poll(() => back.metrics.length).toBeGreaterThan(0);
  await expect.poll(() => reports.at(-1)).toBe(`Metrics are sent to ${url}/v1/metrics again.`);
  expect(told()).toHaveLength(1);
});

test("[OT19] every figure on the dashboard exists", async () => {
  const { server } = await served({ lead: () => say("Done.") });
  const board = readFileSync(join(import.meta.dirname, "../../../docs/grafana/colloquy.json"), "utf8");
  const shown = [...new Set(board.match(/colloquy_\w+/g))];
  expect(shown.length).toBeGreaterThan(20);
  expect(namesIn(await read(server.url, TOKEN))).toEqual(expect.arrayContaining(shown));
});
