import { CallId, type ModelMessage, type Part, Script } from "@colloquy/schema";
import { expect, test } from "vitest";
import { collect, faultIn, request, user } from "../../test/support.ts";
import type { ModelChunk, ModelRequest } from "../port.ts";
import { scriptedModel } from "./scripted-model.ts";
import type { Sleep } from "../providers/sleep.ts";

const never = new AbortController().signal;
const play = (rules: unknown, messages: readonly ModelMessage[], over: Partial<ModelRequest> = {}) =>
  collect(scriptedModel("scripted/t", Script.parse({ rules })).stream(request(messages, over), never));
const words = (chunks: readonly ModelChunk[]) => chunks.flatMap((chunk) => ("text" in chunk ? [chunk.text] : [])).join("");
const say = (rules: unknown, messages: readonly ModelMessage[], over: Partial<ModelRequest> = {}) =>
  play(rules, messages, over).then(words);
const own = (...parts: Part[]): ModelMessage => ({ role: "assistant", parts, model: "scripted/t" });
const result = (tool: string, output: string): ModelMessage => ({
  role: "result",
  call: CallId.parse("a".repeat(32)),
  tool,
  output,
  failed: false,
});

test("[M100] the first matching rule is played", async () => {
  const rules = [
    { when: { agent: "coder" }, do: { say: "coder" } },
    { when: { agent: ["boss", "lead"], course: 2 }, do: { say: "second course" } },
    { when: { step: 3 }, do: { say: "third step" } },
    { when: { text: "hello" }, do: { say: "greeting" } },
    { do: { say: "anything" } },
  ];
  expect(await say(rules, [user("hello")], { agent: "coder" })).toBe("coder");
  expect(await say(rules, [user("hello")], { course: 2 })).toBe("second course");
  expect(await say(rules, [user("hello")], { step: 3 })).toBe("third step");
  expect(await say(rules, [user("Well, HELLO there")])).toBe("greeting");
  expect(await say(rules, [user("bye")])).toBe("anything");
});

test("[M101] text matches the last message by others, seen matches any message", async () => {
  const rules = [
    { when: { text: ["two", "more"] }, do: { say: "both" } },
    { when: { text: "one" }, do: { say: "last" } },
    { when: { seen: "one" }, do: { say: "seen" } },
  ];
  expect(await say(rules, [user("one"), own({ saying: "two more" })])).toBe("last");
  expect(await say(rules, [user("one"), user("two")])).toBe("seen");
  expect(await say(rules, [user("one"), user("two and more")])).toBe("both");
});

test("[M102] a rule can wait for the result of a tool", async () => {
  const rules = [{ when: { result: "read_file" }, do: { say: "read: {{result}}" } }, { do: { call: { tool: "read_file" } } }];
  expect((await play(rules, [user("go")]))[0]).toMatchObject({ type: "call", tool: "read_file", input: {} });
  const called = own({ call: CallId.parse("a".repeat(32)), tool: "read_file", input: {}, kind: "reads" });
  expect(await say(rules, [user("go"), called, result("read_file", "x"), result("list_dir", "y")])).toBe("read: x");
  expect((await play(rules, [user("go"), called, result("read_file", "x"), user("and?")]))[0]).toMatchObject({ type: "call" });
});

test("[M103] uses of a rule are counted in the history, so the same request gets the same answer", async () => {
  const rules = [{ times: 1, do: { say: "first" } }, { do: { say: "then" } }];
  const [, , finished] = await play(rules, [user("a")]);
  expect(finished).toEqual({ type: "saying.finished", opaque: { rule: 1 } });
  const after = [user("a"), own({ saying: "first", opaque: { rule: 1 } }), user("b")];
  expect([await say(rules, after), await say(rules, after), await say(rules, [user("a")])]).toEqual(["then", "then", "first"]);
  const elsewhere: ModelMessage = { role: "assistant", parts: [{ saying: "x", opaque: { rule: 1 } }], model: "scripted/other" };
  expect(await say(rules, [user("a"), elsewhere, user("b")])).toBe("first");
});

test("[M103] an action that only waits also leaves a trace", async () => {
  expect(await play([{ do: { wait: 0 } }], [user("a")])).toMatchObject([
    { type: "saying.started" },
    { type: "saying.finished", opaque: { rule: 1 } },
    { type: "finished" },
  ]);
});

test("[M104] it thinks, speaks, answers in JSON and calls tools in the script's order", async () => {
  const chunks = await play(
    [{ do: [{ think: "Hm." }, { say: "Look:" }, { json: { status: "success" } }, { call: { tool: "list_dir", input: { path: "." } } }] }],
    [user("a")],
  );
  const opaque = { rule: 1 };
  expect(chunks).toEqual([
    { type: "thinking.started" },
    { type: "thinking.chunk", text: "Hm." },
    { type: "thinking.finished", opaque },
    { type: "saying.started" },
    { type: "saying.chunk", text: "Look:" },
    { type: "saying.finished", opaque },
    { type: "saying.started" },
    { type: "saying.chunk", text: '```json\n{\n  "status": "success"\n}\n```' },
    { type: "saying.finished", opaque },
    { type: "call", tool: "list_dir", input: { path: "." }, opaque },
    { type: "finished", usage: undefined, sessionId: undefined },
  ]);
});

test("[M105] placeholders quote the message", async () => {
  const rules = [
    {
      when: { text: "/order (\\d+) for (?<who>\\w+)/i" },
      do: [
        { say: "{{match.1}} {{match.who}} {{ text }} {{agent}} {{unknown}}" },
        { call: { tool: "t", input: { id: "{{match.1}}", deep: ["{{text}}"] } } },
      ],
    },
  ];
  const chunks = await play(rules, [user("Order 7 for Anna")]);
  expect(words(chunks)).toBe("7 Anna Order 7 for Anna lead {{unknown}}");
  expect(chunks).toContainEqual({ type: "call", tool: "t", input: { id: "7", deep: ["Order 7 for Anna"] }, opaque: { rule: 1 } });
});

test("[M106] text streams at the script's speed, and an abort ends it with its reason", async () => {
  const stopping = new AbortController();
  const slept: number[] = [];
  const sleep: Sleep = async (ms, signal) => {
    slept.push(Math.round(ms));
    if (slept.length === 4) stopping.abort(new Error("stop"));
    signal.throwIfAborted();
  };
  const model = scriptedModel("scripted/t", Script.parse({ speed: 50, rules: [{ do: [{ wait: "2s" }, { say: "héllo wörld" }] }] }), {
    sleep,
  });
  const chunks: ModelChunk[] = [];
  await expect(async () => {
    for await (const chunk of model.stream(request([user("a")]), stopping.signal)) chunks.push(chunk);
  }).rejects.toThrow("stop");
  expect(slept).toEqual([2000, 40, 40, 40]);
  expect(words(chunks)).toBe("héll");
});

test.each([
  ["overloaded", "model_overloaded", "later"],
  ["unreachable", "model_unreachable", "later"],
  ["malformed", "model_malformed", "later"],
  ["no_key", "model_no_key", "never"],
  ["wrong_key", "model_wrong_key", "never"],
  ["no_credit", "model_no_credit", "never"],
  ["unknown_model", "model_unknown", "never"],
  ["context_too_long", "model_context_too_long", "never"],
  ["refused", "model_refused", "never"],
])("[M107] it fails as told: %s", async (code, fault, retry) => {
  const rules = [{ do: { fail: { code, message: "because", retryAfter: "3s" } } }];
  expect(await faultIn(play(rules, [user("a")]))).toMatchObject({ code: fault, retry, message: "because", retryAfterMs: 3000 });
});

test("[M107] a failure with times ends, separately for each dialog", async () => {
  const model = scriptedModel(
    "scripted/t",
    Script.parse({ rules: [{ do: [{ fail: { code: "overloaded", times: 2 } }, { say: "now" }] }] }),
  );
  const attempt = (dialog: string) => collect(model.stream(request([user("a")], { dialog }), never));
  await faultIn(attempt("one"));
  await faultIn(attempt("two"));
  await faultIn(attempt("one"));
  expect(words(await attempt("one"))).toBe("now");
  await faultIn(attempt("two"));
});

test("[M108] it can break the order of the stream on purpose", async () => {
  expect((await play([{ do: { overlap: true } }], [user("a")])).slice(0, 2)).toEqual([
    { type: "saying.started" },
    { type: "thinking.started" },
  ]);
});

test("[M109] if no rule matches, the error quotes the message and says what to add", async () => {
  const fault = await faultIn(play([{ when: { agent: "coder" }, do: { say: "x" } }], [user('What "now"?')], { step: 2 }));
  expect(fault).toMatchObject({ code: "script_ended", retry: "never" });
  expect(fault.message).toBe(
    'scripted/t has no rule that fits: agent lead, course 1, step 2, last message "What \\"now\\"?". ' +
      'Add one to the script, for example: - { when: { agent: lead, text: "What \\"now\\"?" }, do: { say: "…" } }',
  );
});

test.each(["text", "seen"])("[ST12] a pattern in %s that never comes to an end is stopped, and named", async (where) => {
  const rules = [
    { when: { agent: "nobody" }, do: { say: "a" } },
    { when: { [where]: "/^(a+)+$/" }, do: { say: "b" } },
  ];
  const fault = await faultIn(say(rules, [user(`${"a".repeat(60)}!`)]));
  expect(fault).toMatchObject({ code: "model_unknown", retry: "never" });
  expect(fault.message).toContain("scripted/t was stopped at rule 2: /^(a+)+$/ takes too long on this dialog.");
});

test("[ST12] a fast pattern keeps its match, however long the history is", async () => {
  const rules = [{ when: { seen: "/number (?<nth>\\d+)!/" }, do: { say: "It was {{match.nth}}." } }];
  const history = Array.from({ length: 5_000 }, (_, nth) => user(`This is number ${nth}${nth === 4_000 ? "!" : "."}`));
  expect(await say(rules, history)).toBe("It was 4000.");
});
