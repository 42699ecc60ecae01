import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileDocuments, fingerprint, memoryDocuments } from "@colloquy/runtime";
import { Fault, type ModelMessage, type RootId } from "@colloquy/schema";
import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { call, calls, first, say, type Telling, type Told, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { doom, latch, look, settle } from "./tools.ts";

const team = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [look], default: id === "lead" }));
const play = (telling: Telling, files: Map<string, string>, over: Partial<WorldOptions> = {}) =>
  world({ telling, agents: team, files, ...over });
const textsOf = (messages: readonly ModelMessage[]) =>
  messages.map((one) => (one.role === "assistant" ? "assistant" : "text" in one ? one.text : one.output));
const change = (selector: string, content: string) => call("change_mind", { selector, content });
const section = (rootId: RootId, name: string) => `tasks/${rootId}.tsk/${name}.md`;

/** A dialog whose Taskdoc exists before its first step. */
async function withTaskdoc(telling: Telling, sections: Record<string, string>, over: Partial<WorldOptions> = {}) {
  const files = new Map<string, string>();
  for (const [name, text] of Object.entries(sections)) files.set(`tasks/shop.tsk/${name}.md`, text);
  const w = await play(telling, files, over);
  return {
    w,
    files,
    path: (name: string) => `tasks/shop.tsk/${name}.md`,
    start: () => w.project.dialogs.create({ content: "go", taskDocPath: "tasks/shop.tsk/" }),
  };
}

test("[N1][N18] the Taskdoc is in every prompt, side dialogs included, fresh boots excluded", async () => {
  const telling: Telling = {
    lead: ({ tools, messages }) =>
      tools.length === 0
        ? say("fresh")
        : messages.length === 1
          ? calls(["tellaskSessionless", { targetAgentId: "coder", tellaskContent: "x" }], ["freshBootsReasoning", { tellaskContent: "y" }])
          : say("ok"),
    coder: [say("a")],
  };
  const { w, start } = await withTaskdoc(telling, { goals: "Sell shoes.", progress: "Nothing yet." });
  await (await start()).result();
  for (const agent of ["lead", "coder"]) {
    const head = w.requests.find((request) => request.agent === agent)?.system.join("\n") ?? "";
    expect(head).toMatch(/## goals\nSell shoes\.\n\n## constraints\n\(empty\)\n\n## progress\nNothing yet\./);
  }
  expect(w.requests.find((request) => request.tools.length === 0)?.system.join()).not.toContain("Sell shoes");
});

test("[N18] fresh boots get no memory and no notes", async () => {
  const files = new Map([
    ["memory/team/style.md", "Use tabs."],
    ["AGENTS.md", "Be kind."],
  ]);
  const w = await play(
    {
      lead: ({ tools, messages }) =>
        tools.length === 0 ? say("fresh") : messages.length === 1 ? call("freshBootsReasoning", { tellaskContent: "y" }) : say("ok"),
    },
    files,
  );
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(w.requests.find((request) => request.tools.length === 0)?.system.join()).not.toMatch(/tabs|kind/);
});

test("[N1][N5] a long section is cut, and says so; a long memory file is read in parts", async () => {
  const gate = latch();
  const telling: Telling = {
    lead: [{ hold: gate.opened, ...call("recall", { scope: "team", path: "long.md" }) }, say("ok")],
  };
  const { w, files, path, start } = await withTaskdoc(telling, { goals: "g".repeat(30_000) });
  files.set("memory/team/long.md", "m".repeat(40_000));
  const dialog = await start();
  await settle();
  files.set(path("progress"), "p".repeat(30_000));
  gate.open();
  await dialog.result();
  expect(w.requests[0]?.system.join("\n")).toMatch(/g{24000}\n… cut here: 24000 of 30000 characters\./);
  const [result, note] = textsOf(w.requests[1]?.messages ?? []).slice(-2);
  expect(result).toMatch(/m\n… cut here: 30000 of 40000 characters are shown\. Read the rest with read_result/);
  expect(note).toMatch(/progress\.md was changed\. It now reads:\n\np{24000}\n… cut here/);
});

test("[N2] a section is replaced, and agents that saw the old one are told at their next step", async () => {
  const gate = latch();
  const telling: Telling = {
    lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "build" }] }), say("waiting"), say("end")],
    coder: ({ messages }) =>
      messages.length === 1 ? call("look") : messages.length === 3 ? { hold: gate.opened, calls: [{ tool: "look" }] } : say("built"),
  };
  const { w, files, path, start } = await withTaskdoc(telling, { goals: "Old." });
  const dialog = await start();
  await settle();
  await w.project.dialogs.changeMind(dialog.id, "goals", "New.", { by: "anna" });
  expect(files.get(path("goals"))).toBe("New.");
  gate.open();
  await dialog.result();
  const coder = w.requests.findLast((request) => request.agent === "coder");
  expect(coder?.system.join()).toContain("Old.");
  expect(textsOf(coder?.messages ?? []).at(-1)).toContain("tasks/shop.tsk/goals.md was changed. It now reads:\n\nNew.");
});

test("[N2] an agent changes the progress, and the log records it", async () => {
  const files = new Map<string, string>();
  const w = await play({ lead: [change("progress", "Half way."), say("ok")] }, files);
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("ok");
  expect(files.get(section(dialog.id, "progress"))).toBe("Half way.");
  expect((await w.events(dialog.id)).find((event) => event.type === "document.changed")).toMatchObject({
    agent: "lead",
    path: section(dialog.id, "progress"),
    from: "",
  });
});

test("[N3] the refusal shows the current text", async () => {
  const gate = latch();
  const { w, files, path, start } = await withTaskdoc(
    { lead: [{ hold: gate.opened, ...change("goals", "Mine.") }, change("goals", "Theirs and mine."), say("ok")] },
    { goals: "Old." },
  );
  const dialog = await start();
  await settle();
  files.set(path("goals"), "Theirs.");
  gate.open();
  await dialog.result();
  expect(files.get(path("goals"))).toBe("Theirs and mine.");
  const refusal = w.requests[1]?.messages.findLast((message) => message.role === "result");
  expect(refusal).toMatchObject({
    failed: true,
    output: expect.stringMatching(/Not changed: .*goals\.md has changed since you saw it\. It now reads:\n\nTheirs\./),
  });
});

test("[N4] side dialogs ask back instead", async () => {
  const { w, files, path, start } = await withTaskdoc(
    {
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "x" }), say("ok")],
      coder: [change("goals", "Mine."), say("a")],
    },
    { goals: "Old." },
  );
  await (await start()).result();
  expect(files.get(path("goals"))).toBe("Old.");
  expect(w.requests.findLast((request) => request.agent === "coder")?.messages.at(-1)).toMatchObject({
    failed: true,
    output: expect.stringContaining("tellaskBack"),
  });
  expect(w.requests.find((request) => request.agent === "coder")?.tools.map((tool) => tool.name)).not.toContain("change_mind");
});

test("[N5] a manual edit is reported at the next step, and earlier requests stay unchanged", async () => {
  const gate = latch();
  const { w, files, path, start } = await withTaskdoc(
    { lead: [{ hold: gate.opened, ...call("look") }, say("ok")] },
    { constraints: "No plastic." },
  );
  const dialog = await start();
  await settle();
  files.set(path("constraints"), "No plastic, no lead.");
  gate.open();
  await dialog.result();
  const [first, second] = w.requests;
  expect(second?.system).toEqual(first?.system);
  expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  expect(textsOf(second?.messages ?? []).at(-1)).toContain("No plastic, no lead.");
});

describe("[N6] killed at every commit", () => {
  const telling: Telling = {
    lead: [
      change("goals", "Sell shoes."),
      calls(
        ["remember", { scope: "team", path: "style.md", content: "Use tabs." }],
        ["change_mind", { selector: "progress", content: "Begun." }],
      ),
      say("done"),
    ],
  };
  const story = async (w: World) => {
    const dialog = await w.project.dialogs.create({ content: "go", msgId: "m1", taskDocPath: "tasks/shop.tsk/" });
    await w.project.takeUp(dialog.id);
    await dialog.result();
    await w.project.dialogs.changeMind(dialog.id, "constraints", "Cheap.", { msgId: "m2", by: "anna" });
    return (await w.events(dialog.id)).filter((event) => event.type === "document.changed").map((event) => event.path);
  };
  test.each(Array.from({ length: 26 }, (_, nth) => [(nth >> 1) + 1, nth % 2 ? "after" : "before"] as const))(
    "commit %i, %s",
    async (nth, when) => {
      const disk = memoryBacking();
      const files = new Map<string, string>();
      const { through, died } = doom({ nth, when });
      const doomed = await play(telling, files, { disk, through });
      await Promise.race([story(doomed), died]);
      await settle(3);
      const changed = await story(await play(telling, files, { disk }));
      expect(changed.toSorted()).toEqual([
        "memory/team/style.md",
        "tasks/shop.tsk/constraints.md",
        "tasks/shop.tsk/goals.md",
        "tasks/shop.tsk/progress.md",
      ]);
      expect(Object.fromEntries(files)).toEqual({
        "tasks/shop.tsk/goals.md": "Sell shoes.",
        "tasks/shop.tsk/progress.md": "Begun.",
        "tasks/shop.tsk/constraints.md": "Cheap.",
        "memory/team/style.md": "Use tabs.",
      });
    },
  );
});

test("[N7] an edit between record and write stays", async () => {
  const disk = memoryBacking();
  const files = new Map([["tasks/shop.tsk/goals.md", "Old."]]);
  const telling: Telling = { lead: [change("goals", "Mine."), say("ok")] };
  // Killed after the change was recorded, before the file was written.
  const { through, died } = doom({ nth: 3, when: "after" });
  const doomed = await play(telling, files, {
    disk,
    through,
  });
  const dialog = await doomed.project.dialogs.create({ content: "go", taskDocPath: "tasks/shop.tsk/" });
  await died;
  files.set("tasks/shop.tsk/goals.md", "Theirs.");
  const again = await play(telling, files, { disk });
  await again.project.dialogs.result(dialog.id);
  expect(files.get("tasks/shop.tsk/goals.md")).toBe("Theirs.");
  expect(again.requests.at(-1)?.messages.at(-1)).toMatchObject({ failed: true, output: expect.stringContaining("Somebody else changed") });
});

test("[N32] concurrent changes of one document by two trees are serialized", async () => {
  const files = new Map<string, string>();
  const remember = (content: string) => call("remember", { scope: "team", path: "style.md", content });
  const telling: Telling = {
    lead: ({ messages }) =>
      messages.length > 1 ? say("ok") : remember(messages.some((one) => textsOf([one])[0]?.includes("tabs")) ? "Tabs." : "Spaces."),
  };
  const w = await play(telling, files);
  const dialogs = await Promise.all(["tabs", "spaces"].map((content) => w.project.dialogs.create({ content })));
  await Promise.all(dialogs.map((dialog) => dialog.result()));
  const results = (await Promise.all(dialogs.map((dialog) => w.events(dialog.id))))
    .flat()
    .flatMap((event) => (event.type === "call.ended" ? [event] : []));
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["refused", undefined]));
  // The second writer is shown what the first has written, and has lost nothing.
  const [text = ""] = files.values();
  expect(results.find(({ outcome }) => outcome === "refused")?.output).toContain(text);
});

test("[N32] concurrent changes of one section by people are applied one after the other, each to the text of the one before", async () => {
  const { w, files, path, start } = await withTaskdoc({ lead: [say("ok")] }, { goals: "Old." });
  const dialog = await start();
  await dialog.result();
  await Promise.all(["One.", "Two.", "Three."].map((text) => w.project.dialogs.changeMind(dialog.id, "goals", text)));
  expect(files.get(path("goals"))).toBe("Three.");
  const changes = (await w.events(dialog.id)).flatMap((event) => (event.type === "document.changed" ? [event] : []));
  expect(changes.slice(1).map(({ from }) => from)).toEqual(changes.slice(0, -1).map(({ to }) => to));
});

test("[N7] a person is told that a manual edit came first, and that edit stays", async () => {
  const { w, files, path, start } = await withTaskdoc(
    { lead: [say("ok")] },
    { goals: "Old." },
    {
      through: (store) => ({
        ...store,
        commit: async (parts, at) => {
          const committed = await store.commit(parts, at);
          const isChange = parts.some(({ events }) => events.some(({ type }) => type === "document.changed"));
          if (isChange) files.set(path("goals"), "By hand.");
          return committed;
        },
      }),
    },
  );
  const dialog = await start();
  await dialog.result();
  const change = () => w.project.dialogs.changeMind(dialog.id, "goals", "New.", { msgId: "once" });
  await expect(change()).rejects.toMatchObject({ code: "document_changed" });
  expect(files.get(path("goals"))).toBe("By hand.");
  const events = await w.events(dialog.id);
  expect(events.at(-1)).toMatchObject({ type: "document.written", taken: true });
  await expect(change()).rejects.toMatchObject({ code: "document_changed" });
  expect(await w.events(dialog.id)).toEqual(events);
});

test("[N8] a person's change is refused if the section has changed since", async () => {
  const { w, start } = await withTaskdoc({ lead: [say("ok")] }, { goals: "Old." });
  const dialog = await start();
  await dialog.result();
  await expect(w.project.dialogs.changeMind(dialog.id, "goals", "New.", { shown: "0000" })).rejects.toMatchObject({
    code: "document_changed",
  });
});

test("[N34] a change that a full disk delayed is written once there is room", async () => {
  const files = new Map<string, string>();
  const documents = memoryDocuments(files);
  let isFull = true;
  const full = () => Promise.reject(new Fault("log_full", "later", "No room."));
  const w = await play({ lead: [say("ok")] }, files, {
    documents: { ...documents, swap: (...args) => (isFull ? full() : documents.swap(...args)) },
  });
  const dialog = await w.project.dialogs.create({ content: "go", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  await expect(w.project.dialogs.changeMind(dialog.id, "goals", "New.")).rejects.toMatchObject({ code: "log_full" });
  w.clock.advance(1_500);
  await settle();
  expect(files.size).toBe(0);
  isFull = false;
  w.clock.advance(10_000);
  await settle();
  expect(files.get("tasks/shop.tsk/goals.md")).toBe("New.");
  expect((await w.events(dialog.id)).at(-1)).toMatchObject({ type: "document.written" });
});

test.each([
  "notes",
  "../x.tsk/",
  "/tmp/x.tsk/",
  ".dialogs/x.tsk",
  "tasks/x.tsk.md",
  ".git/hooks/x.tsk",
  "web/.GIT/x.tsk/",
  ".git./x.tsk",
  "agents/x.tsk",
  "./Agents/x.tsk",
  "colloquy.yaml/x.tsk",
  "prd/x.tsk",
  "memory/team/x.tsk",
  "a\u0000b.tsk",
  "a\nb.tsk",
  "\ud800.tsk",
  `${"x".repeat(5_000)}.tsk`,
  `${"单".repeat(80)}.tsk`,
])("[N9] %j is no Taskdoc", async (taskDocPath) => {
  const w = await play({}, new Map());
  const refused = w.project.dialogs.create({ content: "go", taskDocPath });
  await expect(refused).rejects.toMatchObject({ code: "bad_request" });
  await expect(refused).rejects.toThrow(/^[^]{1,300}$/);
});

test("[N9] the folder is the same, however it is spelled", async () => {
  const w = await play({ lead: [say("ok")], coder: [] }, new Map());
  const dialog = await w.project.dialogs.create({ content: "go", taskDocPath: "./tasks//./shop.tsk/" });
  await dialog.result();
  expect((await w.project.dialogs.view(dialog.id)).taskDocPath).toBe("tasks/shop.tsk/");
});

test("[N10] memory is kept for the team and for the agent itself, and visible at the next step", async () => {
  const files = new Map<string, string>();
  const steps: Told[] = [
    calls(
      ["remember", { scope: "team", path: "style.md", content: "Use tabs." }],
      ["remember", { scope: "own", path: "me/likes.md", content: "I like tea." }],
    ),
    calls(["recall", { scope: "own", path: "me/likes.md" }], ["recall", { scope: "team", path: "nope.md" }]),
    call("forget", { scope: "own", path: "me/likes.md" }),
    say("ok"),
  ];
  const w = await play({ lead: steps, coder: [say("hi")] }, files);
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(Object.fromEntries(files)).toEqual({ "memory/team/style.md": "Use tabs." });
  const results = w.requests
    .at(-1)
    ?.messages.filter((message) => message.role === "result")
    .map((message) => message.output);
  expect(results?.slice(2)).toEqual([
    "I like tea.",
    expect.stringContaining("There is no memory/team/nope.md. There are: style.md"),
    "memory/agents/lead/me/likes.md is written.",
  ]);
  await (await w.project.dialogs.create({ content: "hello", agent: "coder" })).result();
  expect(w.requests.at(-1)?.system.join()).toContain("The team's memory:\n\n## style.md\nUse tabs.");
});

test("[N11][N13] memory up to a size, the rest by name; notes of the project", async () => {
  const files = new Map([
    ["memory/team/a.md", "short"],
    ["memory/team/b.md", "x".repeat(30_000)],
    ["AGENTS.md", `Be kind. ${"y".repeat(20_000)}`],
  ]);
  const w = await play({ lead: [say("ok")] }, files);
  await (await w.project.dialogs.create({ content: "go" })).result();
  const head = w.requests[0]?.system.join("\n") ?? "";
  expect(head).toContain("## a.md\nshort");
  expect(head).toContain("Read it with recall when you need it:\n- b.md (team, 30000 characters)");
  expect(head).toContain("Be kind.");
  expect(head).toContain("… cut here: 16000 of 20009 characters. The rest is in the file AGENTS.md.");
  expect(head.length).toBeLessThan(20_000);
});

test.each(["../../colloquy.yaml", "/etc/passwd.md", "a/../../b.md", ".hidden.md", "x.txt", "a//b.md"])(
  "[N12] %s is not a valid memory path",
  async (path) => {
    const files = new Map<string, string>();
    const w = await play({ lead: [call("remember", { scope: "team", path, content: "x" }), say("ok")] }, files);
    await (await w.project.dialogs.create({ content: "go" })).result();
    expect(files.size).toBe(0);
    expect(w.requests.at(-1)?.messages.at(-1)).toMatchObject({ failed: true });
  },
);

describe("context", () => {
  const filling = (
    shares: readonly number[],
    more: (request: Parameters<Extract<Telling[string], (...args: never[]) => unknown>>[0]) => Told,
  ): Telling => {
    let nth = 0;
    return {
      lead: (request) => ({
        ...more(request),
        usage: { input: Math.round((shares[Math.min(nth++, shares.length - 1)] ?? 0) * 100_000), output: 0 },
      }),
    };
  };

  test("[N14] reported at the soft limit, and again only when a tenth fuller", async () => {
    let step = 0;
    const w = await play(
      filling([0.1, 0.61, 0.64, 0.72, 0.75, 0.1], () => (++step < 6 ? { calls: [{ tool: "look", input: { at: `${step}` } }] } : say("ok"))),
      new Map(),
    );
    await (await w.project.dialogs.create({ content: "go" })).result();
    const notes = textsOf(w.requests.at(-1)?.messages ?? []).filter((text) => text.includes("Your context is"));
    expect(notes.map((text) => /\d+ %/.exec(text)?.[0])).toEqual(["61 %", "72 %"]);
  });

  test("[N15] at the hard limit a new course starts with a summary; questions and asks stay", async () => {
    const w = await play(
      {
        lead: ({ messages, course }) => {
          const last = textsOf(messages).at(-1) ?? "";
          if (last.includes("Write a summary")) return { ...say("We sell shoes; coder builds."), usage: { input: 1, output: 1 } };
          if (course === 2) return say("on we go");
          return messages.length === 1
            ? {
                calls: [{ tool: "delegate", input: { delegations: [{ recipient: "coder", prompt: "build" }] } }],
                usage: { input: 95_000, output: 0 },
              }
            : say("never");
        },
        coder: [call("askHuman", { tellaskContent: "Which?" }), say("built")],
      },
      new Map(),
    );
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send("and now?");
    await w.project.dialogs.quiet(dialog.id);
    const view = await dialog.view();
    expect(view).toMatchObject({ course: 2, reminders: [{ id: 1, content: "We sell shoes; coder builds.", summary: true }] });
    expect(await w.project.questions.list()).toHaveLength(1);
    expect(view.pending).toHaveLength(1);
    const second = w.requests.find((request) => request.course === 2);
    expect(second?.system.at(-1)).toContain("1: We sell shoes; coder builds.");
    expect(textsOf(second?.messages ?? []).join("\n")).toContain("and now?");
  });

  test("[N16] without a summary the last text is the reminder", async () => {
    const w = await play(
      {
        lead: ({ messages, course }) => {
          if ((textsOf(messages).at(-1) ?? "").includes("Write a summary")) throw new Error("no");
          if (course === 2) return say("ok");
          return { say: "Looking around.", calls: [{ tool: "look" }], usage: { input: 99_000, output: 0 } };
        },
      },
      new Map(),
    );
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("ok");
    expect((await dialog.view()).reminders[0]?.content).toContain("Your last words were: Looking around.");
  });

  test("[N17] 300 turns with a small window lose no reminder, no ask and no line", async () => {
    let used = 0;
    const files = new Map([["tasks/shop.tsk/goals.md", "Sell shoes."]]);
    const w = await play(
      {
        lead: ({ messages, system }) => {
          expect(system.join("\n")).toContain("Sell shoes.");
          const last = textsOf(messages).at(-1) ?? "";
          if (last.includes("Write a summary")) {
            used = 0;
            return { ...say(`summary`), usage: { input: 1, output: 1 } };
          }
          used += 80;
          const usage = { input: used, output: 10 };
          const asked =
            messages.at(-1)?.role === "result" ? "" : (textsOf(messages.filter((message) => message.role === "user")).at(-1) ?? "");
          if (/^turn (\d+)$/.test(asked) && Number(asked.slice(5)) % 50 === 7)
            return { calls: [{ tool: "add_reminder", input: { content: `remember ${asked}` } }], usage };
          if (asked === "turn 10")
            return { calls: [{ tool: "delegate", input: { delegations: [{ recipient: "coder", prompt: "build" }] } }], usage };
          return { ...say("ok"), usage };
        },
        coder: [call("askHuman", { tellaskContent: "Which?" }), say("built")],
      },
      files,
      { contextWindow: 2_000 },
    );
    const dialog = await w.project.dialogs.create({ content: "start", taskDocPath: "tasks/shop.tsk/" });
    for (let turn = 1; turn <= 300; turn++) {
      await w.project.dialogs.quiet(dialog.id);
      await dialog.send(`turn ${turn}`);
    }
    await w.project.dialogs.quiet(dialog.id);
    const view = await dialog.view();
    expect(view.course).toBeGreaterThan(5);
    const filling = (await w.events(dialog.id)).filter((event) => event.type === "note.added" && event.code === "context_filling");
    expect(filling.length).toBeGreaterThan(5);
    expect(w.reports).toEqual([]);
    expect(view.reminders.filter((one) => one.content === "summary")).toHaveLength(1);
    for (const turn of [7, 57, 107, 157, 207, 257]) expect(view.reminders.map((one) => one.content)).toContain(`remember turn ${turn}`);
    expect(view.pending).toHaveLength(1);
    const question = first(await w.project.questions.list());
    await w.project.questions.answer(question.id, { content: "A" });
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).pending).toHaveLength(0);
  });
});

test("[N5] files on disk are picked up when they change", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-docs-"));
  const documents = fileDocuments(dir);
  expect(documents.read("memory/team/a.md")).toBeUndefined();
  await documents.swap("memory/team/a.md", "", "one");
  expect(documents.read("memory/team/a.md")?.text).toBe("one");
  writeFileSync(join(dir, "memory/team/a.md"), "two");
  expect(documents.read("memory/team/a.md")?.text).toBe("two");
  mkdirSync(join(dir, "memory/team/deep"));
  writeFileSync(join(dir, "memory/team/deep/b.md"), "b");
  writeFileSync(join(dir, "memory/team/c.txt"), "c");
  expect(documents.list("memory/team")).toEqual(["a.md", "deep/b.md"]);
  await documents.swap("memory/team/a.md", fingerprint("two"), undefined);
  expect(documents.list("memory/team")).toEqual(["deep/b.md"]);
  expect(readFileSync(join(dir, "memory/team/deep/b.md"), "utf8")).toBe("b");
});

test("[N5] a new document is found when it appears", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-docs-"));
  utimesSync(dir, 1_000, 1_000); // a folder that hasn't changed for a while is not searched again and again
  const documents = fileDocuments(dir);
  expect([documents.has("memory"), documents.read("AGENTS.md"), documents.has("memory")]).toEqual([false, undefined, false]);
  writeFileSync(join(dir, "AGENTS.md"), "Be kind.");
  mkdirSync(join(dir, "memory/team"), { recursive: true });
  for (const startedAt = performance.now(); performance.now() - startedAt < 2;); // one look is valid for a millisecond
  expect([documents.has("memory"), documents.read("AGENTS.md")?.text]).toEqual([true, "Be kind."]);
});

test.each([
  ["CLAUDE.md", "Be kind."],
  [".env", undefined],
  ["memory/team/secret.md", undefined],
  ["../outside.md", undefined],
  ["nowhere.md", undefined],
])("[N13] AGENTS.md as a link to %s", (target, text) => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-docs-"));
  mkdirSync(join(dir, "project/memory/team"), { recursive: true });
  for (const path of ["project/CLAUDE.md", "project/.env", "project/memory/team/secret.md", "outside.md"]) {
    writeFileSync(join(dir, path), "Be kind.");
  }
  symlinkSync(target, join(dir, "project/AGENTS.md"));
  expect(fileDocuments(join(dir, "project")).read("AGENTS.md")?.text).toBe(text);
});
