import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TracingConfig } from "@colloquy/schema";
import { say } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { describe, expect, test } from "vitest";
import { startCollector } from "../../tracing/test/collector.ts";
import { describeReach } from "../src/open/folder-reach.ts";
import { openProject } from "../src/open/open-project.ts";
import { tracingSettings } from "../src/tracing/tracing-settings.ts";

const parsed = (given: object) => TracingConfig.parse(given);

describe("[OT15] the settings or the standard variables switch tracing on", () => {
  test("nothing asks for it", () => {
    expect(tracingSettings(undefined, {})).toBeUndefined();
    expect(tracingSettings(parsed({ open: "http://localhost/{traceId}" }), {})).toBeUndefined();
  });

  test("settings go before variables", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://other:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: "x-one=1,x-two=a%20b",
      OTEL_SERVICE_NAME: "shop",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      TRACING_TOKEN: "secret",
    };
    expect(tracingSettings(undefined, env)).toMatchObject({
      target: {
        tracesUrl: "http://other:4318/v1/traces",
        metricsUrl: "http://other:4318/v1/metrics",
        headers: { "x-one": "1", "x-two": "a b" },
        protocol: "http/protobuf",
      },
      resource: { "service.name": "shop", "deployment.environment": "test" },
      content: false,
    });
    const config = parsed({ url: "http://here", headers: { authorization: "Bearer ${TRACING_TOKEN}" }, service: "mine", content: true });
    expect(tracingSettings(config, env)).toMatchObject({
      target: { tracesUrl: "http://here/v1/traces", headers: { "x-one": "1", authorization: "Bearer secret" } },
      resource: { "service.name": "mine" },
      content: true,
    });
  });

  test("the variable of a signal is its complete address", () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://here/traces", OTEL_METRICS_EXPORTER: "none" };
    expect(tracingSettings(undefined, env)?.target).toMatchObject({ tracesUrl: "http://here/traces", metricsUrl: undefined });
    const keys = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: "key=1", OTEL_EXPORTER_OTLP_METRICS_HEADERS: "key=2" };
    expect(tracingSettings(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://here", ...keys })).toMatchObject({
      target: { headers: { key: "1" } },
      metricsHeaders: { key: "2" },
    });
    expect(tracingSettings(parsed({ url: "http://there" }), { OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  });

  test("values that mean nothing are refused with those that are valid", () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://here" };
    expect(() => tracingSettings(undefined, { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toThrow("Valid: http/json, http/protobuf.");
    expect(() => tracingSettings(undefined, { ...on, OTEL_EXPORTER_OTLP_TIMEOUT: "soon" })).toThrow("a number of milliseconds");
    expect(() => tracingSettings(undefined, { ...on, OTEL_EXPORTER_OTLP_HEADERS: "key" })).toThrow("name=value");
    expect(() => tracingSettings(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: "here:4318" })).toThrow("http:// or https://");
    expect(() => tracingSettings(parsed({ url: "http://${COLLECTOR}" }), {})).toThrow("tracing needs COLLECTOR");
    expect(TracingConfig.safeParse({ url: "ftp://here" }).success).toBe(false);
    expect(TracingConfig.safeParse({ open: "http://here" }).success).toBe(false);
    expect(TracingConfig.safeParse({ url: "http://here", headers: { authorization: "Bearer abc" } }).success).toBe(false);
  });

  test("a folder from elsewhere says that it sends traces", async () => {
    const dir = mkdtempSync(join(tmpdir(), "traced-"));
    writeFileSync(join(dir, "colloquy.yaml"), "tracing: { url: 'https://collector.example', content: true }\n");
    expect((await describeReach(dir)).map(({ what }) => what)).toEqual([
      "sends traces with everything that is said to https://collector.example, with OTEL_EXPORTER_OTLP_*HEADERS of your environment",
    ]);
    writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
    writeFileSync(join(dir, ".env"), "OTEL_EXPORTER_OTLP_ENDPOINT=https://other.example\n");
    expect((await describeReach(dir)).map(({ what, where }) => [what, where])).toEqual([
      ["sends traces to https://other.example, with OTEL_EXPORTER_OTLP_*HEADERS of your environment", ".env"],
    ]);
  });
});

test("[OT13] the spans of a time when only metrics had an address follow", async () => {
  const collector = await startCollector();
  const dir = mkdtempSync(join(tmpdir(), "traced-"));
  const model = toldModel({ lead: () => say("Hello.") });
  const talk = async (env: Readonly<Record<string, string>>) => {
    const lead = { id: "lead", name: "Lead", role: "You lead.", tools: [], default: true };
    const project = await openProject({ dir, agents: [lead], model: model.name, findModel: () => model, env, report: () => undefined });
    await (await project.dialogs.create({ content: "Hello" })).result();
    await project.flushTraces();
    const state = project.tracing();
    await project.close();
    return { state, turns: collector.named("invoke_agent Lead").length };
  };
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  expect(await talk(on)).toMatchObject({ state: { behind: 0 }, turns: 1 });
  expect(await talk({ ...on, OTEL_TRACES_EXPORTER: "none" })).toEqual({ state: undefined, turns: 1 });
  expect(await talk(on)).toMatchObject({ turns: 3 });
});

test("[OT16] nothing of it is loaded while it is off, or by a process that drives no work", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.push(found.url); return found; } });
    const { openProject } = await import("@colloquy/library");
    const open = async (env, drive) => {
      const project = await openProject({ dir: process.argv[1], agents: [{ id: "lead", name: "Lead", role: "You lead.", tools: [], default: true }], env, drive, report() {} });
      await project.close();
      return loaded.some((url) => url.includes("/tracing/src/"));
    };
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    console.log(JSON.stringify([await open({}, "all"), await open(on, "none"), await open(on, "all")]));
  `;
  const dir = mkdtempSync(join(tmpdir(), "untraced-"));
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program, dir], { cwd: import.meta.dirname, encoding: "utf8" });
  expect(JSON.parse(said)).toEqual([false, false, true]);
});
