import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { defineTool } from "@colloquy/library";
import { call, say } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startCollector } from "../../tracing/test/collector.ts";
import { openProject } from "../src/open/open-project.ts";

// The set-up of an application with OpenTelemetry's SDK.
beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

/** One turn with a tool's call. Returns what the model and the tool found active, and the tool's own `traceparent`. */
async function play(env: Readonly<Record<string, string>>) {
  const active: (string | undefined)[] = [];
  const traceparents: (string | undefined)[] = [];
  const note = () => void active.push(trace.getActiveSpan()?.spanContext().spanId);
  const look = defineTool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    reads: true,
    run: async (_, { traceparent }) => {
      await Promise.resolve();
      note();
      traceparents.push(traceparent);
      return "seen";
    },
  });
  const told = toldModel({ lead: [call("look", {}), say("Done.")] });
  const model = {
    ...told,
    stream: (...given: Parameters<typeof told.stream>) => {
      note();
      return told.stream(...given);
    },
  };
  const lead = { id: "lead", name: "Lead", role: "You lead.", tools: [look], default: true };
  const dir = mkdtempSync(join(tmpdir(), "active-"));
  const project = await openProject({ dir, agents: [lead], model: model.name, findModel: () => model, env, report: () => undefined });
  await (await project.dialogs.create({ content: "Look" })).result();
  await project.flushTraces();
  await project.close();
  return { active, traceparents };
}

test("[OT20] [OT21] models and tools run inside the spans that the log gives them", async () => {
  const collector = await startCollector();
  const { active, traceparents } = await play({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const [first, second] = collector.named("chat model");
  const [looking] = collector.named("execute_tool look");
  expect(active).toEqual([first?.spanId, looking?.spanId, second?.spanId]);
  expect(traceparents).toEqual([`00-${looking?.traceId}-${looking?.spanId}-01`]);
});

test("[OT20] [OT21] while tracing is off, nothing is active and no span is passed on", async () => {
  expect(await play({})).toEqual({ active: [undefined, undefined, undefined], traceparents: [undefined] });
});
