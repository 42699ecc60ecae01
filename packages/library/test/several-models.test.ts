import { defineAgent } from "@colloquy/library";
import { Fault, Refused, type RootId } from "@colloquy/schema";
import { world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { ModelChoice, type Runner } from "@colloquy/runtime";

/** Long enough for whatever can go on without the clock. */
const settle = async (): Promise<void> => {
  for (let nth = 0; nth < 100; nth++) await new Promise((go) => setImmediate(go));
};

type AiModel = Extract<NonNullable<Parameters<typeof defineAgent>[0]["busyModel"]>, object>;

/** An AI SDK model that says its name, or fails as told. */
function model(modelId: string, failing: () => object | undefined = () => undefined): AiModel {
  const parts = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: `I am ${modelId}.` },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: { unified: "stop" }, usage: { inputTokens: { total: 10 }, outputTokens: { total: 2 } } },
  ];
  const doStream = async () => {
    const failure = failing();
    if (failure) throw Object.assign(new Error("no"), failure);
    return { stream: new ReadableStream({ start: (c) => (parts.forEach((part) => c.enqueue(part)), c.close()) }) };
  };
  return { specificationVersion: "v4", provider: "acme", modelId, supportedUrls: {}, doStream } as unknown as AiModel;
}

async function asked(models: readonly (AiModel | string)[]) {
  const lead = defineAgent({ id: "lead", role: "You lead.", model: models, default: true });
  const w = await world({ telling: {}, agents: [lead] });
  const dialog = await w.project.dialogs.create({ content: "Who?" });
  const took = async () => (await w.events(dialog.id as RootId)).flatMap((event) => (event.type === "step.ended" ? [event.model] : []));
  return { dialog, took, clock: w.clock };
}

test("[F14] [LB38] the next model takes the step at once, and the log says which", async () => {
  const { dialog, took } = await asked([model("a", () => ({ statusCode: 529 })), model("b", () => ({ statusCode: 401 })), model("c")]);
  expect(await dialog.result()).toBe("I am c.");
  expect(await took()).toEqual(["acme/c"]);
});

test("[F15] a model that failed is passed over for a while, then used again", async () => {
  let calls = 0;
  const { dialog, took, clock } = await asked([model("a", () => ((calls += 1) === 1 ? { statusCode: 503 } : undefined)), model("b")]);
  await dialog.result();
  await dialog.send("Again?");
  await dialog.result();
  expect(calls).toBe(1);
  clock.advance(31_000);
  await dialog.send("And now?");
  await dialog.result();
  expect(await took()).toEqual(["acme/b", "acme/b", "acme/a"]);
});

test("[F16] if all fail for good, the dialog stops with every reason; if one may pass, it is waited for", async () => {
  const gone = await asked([model("a", () => ({ statusCode: 401 })), model("b", () => ({ statusCode: 402 }))]);
  await expect(gone.dialog.result()).rejects.toThrow(/refused|wants a key[\s\S]*quota/);
  let isUp = false;
  const busy = await asked([model("a", () => ({ statusCode: 401 })), model("b", () => (isUp ? undefined : { statusCode: 529 }))]);
  const answer = busy.dialog.result();
  await settle();
  isUp = true;
  busy.clock.advance(60_000);
  expect(await answer).toBe("I am b.");
});

const runner = (name: string, contextWindow?: number): Runner =>
  ({ name, lane: name, price: undefined, contextWindow, step: () => Promise.reject(new Error("not used")) }) as Runner;

test("[F15] what is too long goes only to a larger window, and a refusal counts for its step only", () => {
  const choice = new ModelChoice([() => runner("small", 10), () => runner("same", 10), () => runner("large", 100)], () => 0);
  const tooLong = new Fault("model_context_too_long", "never", "too long");
  expect(choice.failed("step", choice.next("step"), tooLong)).toBeUndefined();
  expect(choice.next("step").name).toBe("large");
  expect(choice.next("other").name).toBe("small");
  expect(choice.failed("step", runner("large", 100), new Fault("model_refused", "never", "no"))).toMatchObject({ retry: "never" });
});

test("[LB38] anything else is refused when it is given", async () => {
  for (const wrong of [[], [7], {}, ""])
    expect(() => defineAgent({ id: "lead", role: "You lead.", model: wrong as never })).toThrow(Refused);
});
