import { openProject } from "@colloquy/library";
import { expect, test } from "vitest";
import { colloquy, folder, inTerminal, write } from "./support.ts";
import { team } from "./team.ts";

test("[K83] usage by agent, day and dialog; – without a price", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  await colloquy(dir, "new", "hello");
  const agents = (await colloquy(dir, "usage")).stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(new Set(agents.map(([name]) => name))).toEqual(new Set(["coder", "lead", "reviewer"]));
  for (const [, steps, read, cached, written] of agents) {
    expect(Number(steps)).toBeGreaterThan(0);
    expect(Number(read)).toBeGreaterThan(0);
    expect(Number(cached)).toBe(0);
    expect(Number(written)).toBeGreaterThan(0);
  }
  expect((await colloquy(dir, "usage", "--by", "day")).stdout).toMatch(/^\d{4}-\d\d-\d\d\t6\t/);
  expect((await inTerminal(dir, ["usage", "--by", "dialog"])).out).toMatch(
    /^ID +TITLE +STEPS +READ +CACHED +WRITTEN +COST\n[0-9a-f]{6} +Orders API +5 .*\n[0-9a-f]{6} +hello +1 .*\nall +6 /,
  );
  expect((await inTerminal(folder({ "colloquy.yaml": "agents: {}\n" }), ["usage"])).out).toBe("Nothing was used yet.\n");
});

test("[K83] priced and unpriced steps: an incomplete sum says so", async () => {
  const dir = folder({ "colloquy.yaml": 'agents: { lead: { role: "x", default: true } }\n' });
  const model = (name: string, price: { input: number; output: number } | undefined) => ({
    name,
    provider: name,
    contextWindow: undefined,
    price,
    async *stream() {
      yield { type: "saying.started" } as const;
      yield { type: "saying.chunk", text: "ok" } as const;
      yield { type: "saying.finished" } as const;
      yield { type: "finished", usage: { input: 1_000_000, output: 100_000, cachedInput: 400_000 }, sessionId: undefined } as const;
    },
  });
  for (const [name, price] of [
    ["dear/one", { input: 2, output: 10 }],
    ["free/one", undefined],
  ] as const) {
    const project = await openProject({ dir, model: name, findModel: () => model(name, price), env: {} });
    await (await project.dialogs.create({ content: "hi", title: name })).result();
    await project.close();
  }
  const { out } = await inTerminal(dir, ["usage"]);
  expect(out).toMatch(/^AGENT +STEPS +READ +CACHED +WRITTEN +COST\nlead +2 +2\.0M +800k \(40%\) +200k +[\d.]+ \+ –\n$/);
  expect((await inTerminal(dir, ["usage", "--by", "dialog"])).out).toMatch(/free\/one +1 +1\.0M +400k \(40%\) +100k +–\n/);
  const { rows, total } = JSON.parse((await colloquy(dir, "usage", "--json")).stdout) as {
    rows: { unpriced: number; cost: number }[];
    total: { cost: number };
  };
  expect(rows[0]).toMatchObject({ key: "lead", steps: 2, unpriced: 1 });
  expect(total.cost).toBeCloseTo(rows[0]?.cost ?? 0);
  write(dir, {});
});
