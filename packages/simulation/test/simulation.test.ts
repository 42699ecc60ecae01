import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { DocumentDisk, Staging, Tool } from "@colloquy/runtime";
import { emptyTree } from "@colloquy/core";
import { AgentId, mainDialogOf, PROJECT_STREAM, type ProjectEvent, RootId, type TreeEvent } from "@colloquy/schema";
import { memoryStore, type Store, type StreamPart } from "@colloquy/store";
import { expect, test } from "vitest";
import { Broken } from "../src/broken.ts";
import { ChoiceWatch } from "../src/watches/choice-watch.ts";
import { Ledger, marksIn } from "../src/watches/ledger.ts";
import { LiveOrder } from "../src/watches/live-order.ts";
import { ProjectPage } from "../src/project-page.ts";
import { Life } from "../src/world/schedule.ts";
import type { Chance } from "../src/world/chance.ts";
import type { Site } from "../src/world/site.ts";
import { type Simulation, simulate } from "../src/simulate.ts";
import { TaskWatch } from "../src/watches/task-watch.ts";
import { demandValid } from "../src/valid-request.ts";

const FIRST = 1;
const SEEDS = 50;
const AT_ONCE = 25;

for (let from = FIRST; from < FIRST + SEEDS; from += AT_ONCE) {
  test(`[SI1][SI2][SI3][SI4][SI5][SI6][SI7][SI8][SI9][SI10][SI11][SI13][SI14][SI15][SI16][SI17][SI18][SI19][SI20][SI21][SI22][SI23][SI24] seeds ${from} to ${from + AT_ONCE - 1} break nothing`, async () => {
    for (let seed = from; seed < from + AT_ONCE; seed += 1) {
      const { failure, trace } = await simulate(seed);
      expect(failure, `seed ${seed}:\n${trace.join("\n")}`).toBeUndefined();
    }
  }, 300_000);
}

test("[SI12] the same seed gives the same story, and another seed another one", async () => {
  const [one, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
  expect(again).toEqual(one);
  expect(other.hash).not.toBe(one.hash);
});

/** The first invariant found broken within this many seeds. */
async function brokenBy(sabotage: (simulation: Simulation) => void, seeds = 30): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { failure } = await simulate(seed, { sabotage });
    if (failure) return /^\[(\w+)\]/.exec(failure.message)?.[1] ?? failure.message;
  }
  return undefined;
}

/** The log of the first story in which agents ask and answer, and people too. */
async function eventful(): Promise<Ledger> {
  for (let seed = 1; ; seed += 1) {
    let ledger = new Ledger();
    await simulate(seed, { sabotage: ({ sites: [site] }) => (ledger = site?.ledger ?? ledger) });
    const types = new Set(
      [...ledger.trees.keys()].flatMap((rootId) => ledger.lines(rootId).flatMap(({ events }) => events.map(({ type }) => type))),
    );
    if (["call.ended", "ask.answered", "question.asked", "question.closed"].every((type) => types.has(type as TreeEvent["type"])))
      return ledger;
  }
}

/** Replays a story's log to a separate ledger with something changed. */
async function retold(change: (event: TreeEvent) => readonly TreeEvent[]): Promise<string | undefined> {
  const story = new Map<number, StreamPart[]>();
  const ledger = await eventful();
  for (const stream of [PROJECT_STREAM, ...ledger.trees.keys()] as const)
    for (const { pos, events } of ledger.lines(stream))
      story.set(pos, [...(story.get(pos) ?? []), { stream, expected: 0, events: (events as TreeEvent[]).flatMap(change) }]);
  const store = memoryStore();
  const heard = new Ledger().overhear(store, new Life("test"));
  const heads = new Map<string, number>();
  try {
    for (const [, parts] of [...story].toSorted(([a], [b]) => a - b)) {
      await heard.commit(
        parts.map((part) => ({ ...part, expected: heads.get(part.stream) ?? 0 })),
        0,
      );
      for (const { stream, events } of parts) heads.set(stream, (heads.get(stream) ?? 0) + events.length);
    }
    return undefined;
  } catch (error) {
    return error instanceof Broken ? error.rule : String(error);
  }
}

/** A wrapper between the engine and its store. */
const through = (change: (store: Store, life: Life, simulation: Simulation) => Partial<Store>) => (simulation: Simulation) => {
  simulation.world.through = (store, life) => {
    const changed = change(store, life, simulation);
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(Reflect.has(changed, name) ? changed : target, name);
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  };
};

test("[SI1] a disk that lies about its syncs is detected", async () => {
  expect(await brokenBy(({ disk }) => (disk.troubles.lies = true))).toMatch(/^SI[16]$/);
});

test.each<[string, string, (event: TreeEvent) => readonly TreeEvent[]]>([
  ["SI2", "a result that comes twice", (event) => (event.type === "call.ended" ? [event, event] : [event])],
  ["SI2", "an answer that comes twice", (event) => (event.type === "ask.answered" ? [event, event] : [event])],
  ["SI3", "a question that is asked twice", (event) => (event.type === "question.asked" ? [event, event] : [event])],
  ["SI3", "a question that is closed twice", (event) => (event.type === "question.closed" ? [event, event] : [event])],
  ["SI5", "an answer that never comes", (event) => (event.type === "ask.answered" ? [] : [event])],
])("[SI2][SI3][SI5] %s: %s is found out", async (rule, _what, change) => {
  expect(await retold((event) => [event])).toBeUndefined();
  expect(await retold(change)).toBe(rule);
});

test("[SI23] a page that misses events is detected", async () => {
  const deaf = ({ people }: Simulation) => {
    const [anna] = people;
    const questions = anna?.client.stores.project(anna.site.id).questions;
    if (questions) questions.hear = () => undefined;
  };
  expect(await brokenBy(deaf)).toBe("SI23");
});

test("[SI24] a browser that forgets commands at a reload is detected", async () => {
  const forgetful = ({ people }: Simulation) => {
    for (const person of people) {
      const reload = person.reload.bind(person);
      person.reload = (site) => {
        for (let key = person.storage.key(0); key !== null; key = person.storage.key(0)) person.storage.removeItem(key);
        reload(site);
      };
    }
  };
  expect(await brokenBy(forgetful)).toBe("SI24");
});

test("[SI4] a tool that is run twice is detected", async () => {
  const twice = ({ outside }: Simulation) => {
    const tools = outside.tools.bind(outside);
    outside.tools = (life, ledger) =>
      tools(life, ledger).map((tool) => ({
        ...tool,
        run: async (input, context) => [await tool.run(input, context), await tool.run(input, context)],
      }));
  };
  expect(await brokenBy(twice)).toBe("SI4");
});

test("[SI6] a commit that is split in two is detected", async () => {
  const inTwo = through((store) => ({
    commit: async ([first, ...others], at) => {
      const committed = await store.commit([first as StreamPart], at);
      return others.length > 0 ? store.commit(others, at) : committed;
    },
  }));
  expect(await brokenBy(inTwo)).toMatch(/^SI[16]$/);
});

test("[SI7] unwritten files for people are detected", async () => {
  expect(await brokenBy(through(() => ({ project: async () => undefined })))).toBe("SI7");
});

test("[SI8] a chunk that comes before its segment is detected", () => {
  const place = { dialog: { rootId: "r" as never, selfId: "s" as never }, agent: "lead", course: 1, genseq: 1 };
  const order = new LiveOrder("a test");
  order.hear({ type: "generating_start_evt", ...place });
  order.hear({ type: "saying_start_evt", ...place });
  expect(() => order.hear({ type: "thinking_start_evt", ...place })).toThrow(/^\[SI8\]/);
  expect(() => order.hear({ type: "saying_chunk_evt", offset: 3, text: "x", ...place })).toThrow(/^\[SI8\]/);
});

test.each<[string, LanguageModelV4Prompt]>([
  ["it ends with the model", [user("hi"), said("yes")]],
  ["two of one role", [user("hi"), said("yes"), said("no"), user("hm")]],
  ["a call without a result", [user("hi"), called("1"), user("and?")]],
  ["a result without a call", [user("hi"), result("1")]],
  ["a call twice", [user("hi"), called("1"), result("1"), called("1"), result("1")]],
])("[SI9] %s is found out", (_what, prompt) => {
  expect(() => demandValid([user("hi")], "lead")).not.toThrow();
  expect(() => demandValid(prompt, "lead")).toThrow(/^\[SI9\]/);
});

test("[SI10] work that nobody resumes after a crash is detected", async () => {
  expect(await brokenBy(through(() => ({ hot: () => [] })))).toBe("SI10");
});

test("[SI11] leaked timers are detected", async () => {
  const leaking = through((store, life, { schedule }) => ({
    commit: (...args) => {
      schedule.after(life, 1e12, () => undefined);
      return store.commit(...args);
    },
  }));
  expect(await brokenBy(leaking)).toBe("SI11");
});

test("[SI12] real randomness is detected", async () => {
  expect(
    await brokenBy(
      through((store) => ({ commit: (...args) => (Math.random() < 2 ? store.commit(...args) : Promise.reject(new Error("by chance"))) })),
    ),
  ).toBe("SI12");
});

/** The disk of documents, with something changed. */
const onDocuments = (change: (disk: DocumentDisk, site: Site, chance: Chance) => Partial<DocumentDisk>) => (simulation: Simulation) => {
  for (const site of simulation.sites) {
    const mount = site.documents.mount.bind(site.documents);
    site.documents.mount = (life) => {
      const disk = mount(life);
      return { ...disk, ...change(disk, site, simulation.chance) };
    };
  }
};

test("[SI13] documents reported as written before their names are durable are detected", async () => {
  expect(await brokenBy(onDocuments(() => ({ syncFolder: async () => undefined })))).toBe("SI13");
});

test("[SI13] a document that overwrites a person's change is detected", async () => {
  // Somebody writes just after the last check.
  const late = onDocuments((disk, { documents, dir }, chance) => ({
    rename: (from, to) => {
      documents.editByHand(to.slice(dir.length + 1), chance);
      disk.rename(from, to);
    },
  }));
  expect(await brokenBy(late)).toBe("SI13");
});

test("[SI13] a document that is written before its change is durable is detected", async () => {
  const early = ({ sites }: Simulation) => sites.forEach(({ ledger }) => (ledger.onEvent = () => undefined));
  expect(await brokenBy(early)).toBe("SI13");
});

test.each<[string, readonly ProjectEvent[]]>([
  ["a task that is taken by two", [created("a"), taken("a", "1"), taken("a", "1")]],
  ["a task that is taken in another dialog", [created("a"), taken("a", "1"), released("a"), taken("a", "2")]],
  ["a dialog with two tasks", [created("a"), created("b"), taken("a", "1"), taken("b", "1")]],
  ["a task that is taken too early", [created("a"), created("b", ["a"]), taken("b", "1")]],
  ["a task that is closed twice", [created("a"), over("a"), over("a")]],
  ["a task that is let go by nobody", [created("a"), released("a")]],
])("[SI14] %s is found out", (_what, events) => {
  const watch = new TaskWatch(new Map());
  const hearAll = (some: readonly ProjectEvent[]) => some.forEach((event) => watch.hear(event, 0));
  hearAll(events.slice(0, -1));
  expect(() => hearAll(events.slice(-1))).toThrow(/^\[SI14\]/);
});

test("[SI10] tasks that nobody takes are detected", async () => {
  const idle = ({ sites }: Simulation) => sites.forEach((site) => (site.config = { ...site.config, orchestrator: { concurrency: 0 } }));
  expect(await brokenBy(idle)).toBe("SI10");
});

/** Somebody in the first project writes a word from there into the team's memory. */
const remembering = ({ disk, sites: [site] }: Simulation) => {
  if (!site) return;
  const { ledger, dir } = site;
  const { onEvent } = ledger;
  let isWritten = false;
  ledger.onEvent = (event) => {
    onEvent(event);
    const [mark] = marksIn(JSON.stringify(event));
    if (isWritten || mark === undefined || disk.troubles.isFull || disk.troubles.writesLeft < 2) return;
    isWritten = true;
    const editor = disk.mount(new Life("an editor"));
    editor.makeFolder(`${dir}/memory/team`);
    const fd = editor.open(`${dir}/memory/team/remembered.md`, "write");
    editor.write(fd, Buffer.from(mark), 0);
    editor.close(fd);
  };
};

test("[SI15] a project that is shown another project's memory is detected", async () => {
  const mixed = (simulation: Simulation) => {
    remembering(simulation);
    const [one, other] = simulation.sites;
    if (!one || !other) return;
    const { documents } = other;
    const mount = documents.mount.bind(documents);
    const there = (path: string) => path.replace(`${other.dir}/memory`, `${one.dir}/memory`);
    documents.mount = (life) => {
      const own = mount(life);
      return {
        ...own,
        read: (path) => own.read(there(path)),
        list: (path) => own.list(there(path)),
        stat: (path) => own.stat(there(path)),
      };
    };
  };
  expect(await brokenBy(remembering, 10)).toBeUndefined();
  expect(await brokenBy(mixed)).toBe("SI4");
});

test("[SI6] a stream that does not resume where it was cut is detected", async () => {
  const fromTheBeginning = ({ network }: Simulation) => {
    const stream = network.stream.bind(network);
    network.stream = (page, token, url, { signal }) => stream(page, token, `${url.split("?")[0]}?after=0`, { headers: {}, signal });
  };
  expect(await brokenBy(fromTheBeginning)).toMatch(/^SI(?:6|7|23)$/); // in what was sent, or in what is shown
});

test("[SI6] a page that misses a change in the project is detected", () => {
  const page = new ProjectPage("anna", new Ledger());
  const count = (previousCount: number, questionCount: number) =>
    page.hear({
      type: "questions_count_update",
      projectId: "p",
      pos: 0,
      dialog: { rootId: "1" as never, selfId: "1" as never },
      course: 1,
      previousCount,
      questionCount,
    });
  count(0, 1);
  expect(() => count(2, 3)).toThrow(/^\[SI6\]/);
});

function created(task: string, dependsOn: readonly string[] = []): ProjectEvent {
  return { type: "task.created", task, kind: "task", title: "t", description: "", dependsOn, by: "anna" } as unknown as ProjectEvent;
}
function taken(task: string, dialog: string): ProjectEvent {
  return { type: "task.taken", task, dialog, agent: "coder" } as unknown as ProjectEvent;
}
function released(task: string): ProjectEvent {
  return { type: "task.released", task, why: "" } as unknown as ProjectEvent;
}
function over(task: string): ProjectEvent {
  return { type: "task.closed", task, summary: "" } as unknown as ProjectEvent;
}
function user(text: string): LanguageModelV4Prompt[number] {
  return { role: "user", content: [{ type: "text", text }] };
}
function said(text: string): LanguageModelV4Prompt[number] {
  return { role: "assistant", content: [{ type: "text", text }] };
}
function called(toolCallId: string): LanguageModelV4Prompt[number] {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "look", input: {} }] };
}
function result(toolCallId: string): LanguageModelV4Prompt[number] {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value: "" } }] };
}

/** Calls that need approval, as tools of the outside world see them. */
const onShipping = (change: (tool: Tool) => Partial<Tool>) => {
  return ({ outside }: Simulation) => {
    const tools = outside.tools.bind(outside);
    outside.tools = (life, ledger) => tools(life, ledger).map((tool) => (tool.offer.name === "ship" ? { ...tool, ...change(tool) } : tool));
  };
};

test("[SI16] a call that runs without its approval is detected", async () => {
  expect(await brokenBy(onShipping(() => ({ approval: () => false })))).toBe("SI16");
});

test("[SI16] a call that runs with another input than the approved one is detected", async () => {
  const other = onShipping((tool) => ({ run: (_, context) => tool.run({ what: "something else" }, context) }));
  expect(await brokenBy(other)).toBe("SI16");
});

test("[SI17] a lost picture is detected", async () => {
  expect(await brokenBy(through(() => ({ putBlob: async () => undefined })))).toBe("SI17");
});

test("[SI18] questions that are not asked, and mentions that ask, are detected", () => {
  const ledger = new Ledger();
  const { meant } = ledger.outputs;
  meant.asked.add("#w1#");
  meant.mentioned.add("#w2#");
  const rootId = RootId.parse("1".repeat(32));
  const here = { dialog: mainDialogOf(rootId), course: 1, agent: AgentId.parse("lead") };
  const step = (saying: string): TreeEvent => ({
    type: "step.ended",
    ...here,
    turn: 2,
    step: 1,
    seen: 1,
    index: 1,
    gen: 1,
    ms: 1,
    parts: [{ saying }],
  });
  const told: TreeEvent = { type: "note.added", ...here, turn: 2, code: "unreadable_questions", text: "Again." };
  const hear = (...events: TreeEvent[]) => ledger.outputs.hear(emptyTree(rootId), { v: 1, pos: 1, seq: 1, at: "", events });
  expect(() => hear(step("Which? #w1#"))).toThrow(/^\[SI18\]/);
  expect(() => hear(step("Which? #w1#"), told)).not.toThrow();
  expect(() => hear(step("Clear: #w2#"))).not.toThrow();
  expect(() => hear(step("Clear: #w2#"), told)).toThrow(/^\[SI18\]/);
});

test("[SI19] a choice that is carried out as another one is detected", () => {
  const choices = new ChoiceWatch();
  const here = { dialog: "0".repeat(32), course: 1, agent: "lead", question: "1".repeat(32) };
  const options = [{ label: "Try again" }, { label: "Close it" }];
  choices.hear({ type: "question.asked", ...here, kind: "fault", topic: "failures", options } as unknown as TreeEvent);
  const close = (more: object) => () =>
    choices.hear({ type: "question.closed", ...here, by: "anna", as: "answered", ...more } as unknown as TreeEvent);
  expect(close({ choice: ["Close it"], verdict: "denied" })).not.toThrow();
  expect(close({ choice: ["Close it"] })).toThrow(/^\[SI19\]/);
});

test("[SI21] a layer that is applied before it is logged, or left behind, is detected", async () => {
  const eager = ({ sites }: Simulation) => {
    for (const { layers } of sites) {
      const tool = layers.tool.bind(layers);
      layers.tool = (life, take) => {
        const build = tool(life, take);
        return {
          ...build,
          run: async (input, call) => {
            const output = await build.run(input, call);
            await build.staged?.apply(call.callId, call.dir);
            return output;
          },
        };
      };
    }
  };
  expect(await brokenBy(eager)).toMatch(/^SI(?:16|21)$/);
  const untidy = ({ sites }: Simulation) => {
    for (const { layers } of sites) {
      const staging = layers.staging.bind(layers);
      layers.staging = (life) => ({ ...staging(life), discard: async () => undefined, sweep: async () => undefined });
    }
  };
  expect(await brokenBy(untidy)).toBe("SI21");
});

test("[SI22] an undo without effect, and one that nobody asked for, are detected", async () => {
  const undoing = (undo: (staging: Staging) => Partial<Staging>) => (simulation: Simulation) => {
    for (const { layers } of simulation.sites) {
      const staging = layers.staging.bind(layers);
      layers.staging = (life) => ({ ...staging(life), ...undo(staging(life)) });
    }
  };
  expect(await brokenBy(undoing(() => ({ undo: async () => ({ conflicts: [], notes: [] }) })))).toBe("SI22");
  const eager = undoing((staging) => ({
    apply: async (callId, dir) => {
      const applied = await staging.apply(callId, dir);
      if (applied.conflicts.length === 0) await staging.undo(callId, dir);
      return applied;
    },
  }));
  expect(await brokenBy(eager)).toBe("SI22");
});
