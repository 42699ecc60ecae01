import { defineTool } from "@colloquy/runtime";
import { call, say, type Telling } from "@colloquy/testing/internals";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { latch } from "../latch.ts";
import { served, TOKEN } from "../support.ts";
import { loadedBy } from "./loaded-by.ts";

type Message = OpenAI.ChatCompletionMessageParam;

const askColour = call("askHuman", {
  headline: "Which colour?",
  tellaskContent: "The shop needs paint.",
  options: [{ label: "Blue", pros: ["calm"] }, "Green"],
});

/** A chat client as people use them: it keeps the conversation and sends all of it. */
async function chatting(telling: Telling, options: Parameters<typeof served>[1] = {}) {
  const w = await served(telling, options);
  const openai = new OpenAI({ apiKey: TOKEN, baseURL: `${w.server.url}/v1`, maxRetries: 0 });
  const chat = () => {
    const messages: Message[] = [];
    return {
      messages,
      async says(content: string): Promise<string> {
        messages.push({ role: "user", content });
        const { choices } = await openai.chat.completions.create({ model: "lead", messages });
        const text = choices[0]?.message.content ?? "";
        messages.push({ role: "assistant", content: text });
        return text;
      },
    };
  };
  const dialogs = () => w.project.dialogs.list();
  return Object.assign(w, { openai, chat, dialogs });
}

test("[OA1] agents are models", async () => {
  const { openai } = await chatting({});
  expect((await openai.models.list()).data).toMatchObject([{ id: "lead", object: "model", owned_by: "shop" }]);
  expect(await openai.models.retrieve("lead")).toMatchObject({ id: "lead" });
  await expect(openai.models.retrieve("gpt-9")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
});

test("[OA2] a conversation is one dialog, and two that begin alike are two", async () => {
  let nth = 0;
  const { chat, dialogs, project } = await chatting({ lead: () => say(`Reply ${(nth += 1)}.`) });
  const [one, other] = [chat(), chat()];
  expect(await one.says("Hello")).toBe("Reply 1.");
  expect(await other.says("Hello")).toBe("Reply 2.");
  expect(await one.says("And you?")).toBe("Reply 3.");
  expect(await other.says("And you?")).toBe("Reply 4.");
  expect(dialogs()).toHaveLength(2);
  expect(await Promise.all(dialogs().map(({ rootId }) => project.dialogs.lastReply(rootId)))).toEqual(["Reply 4.", "Reply 3."]);
});

test("[OA3] a changed message begins a new dialog that quotes what went before", async () => {
  const { chat, dialogs, openai, requests } = await chatting({ lead: () => say("Yes.") });
  const one = chat();
  await one.says("Hello");
  await one.says("Paint it blue.");
  const messages: Message[] = [
    { role: "system", content: "Be brief." },
    ...one.messages.slice(0, 2),
    { role: "user", content: "Paint it red." },
  ];
  await openai.chat.completions.create({ model: "lead", messages });
  const quoted =
    "Instructions of the program:\n\nBe brief.\n\nEarlier in this conversation:\n\nUser: Hello\n\nAssistant: Yes.\n\nNow:\n\nPaint it red.";
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain(JSON.stringify(quoted).slice(1, -1));
  expect(dialogs().map(({ title }) => title)).toEqual(["Paint it red.", "Hello"]);
  await one.says("Thanks.");
  expect(dialogs()).toHaveLength(2);
});

test("[OA4] a streamed reply has each word once, with what was said between calls", async () => {
  const look = defineTool({ name: "look", description: "Looks.", input: z.strictObject({}), run: () => "blue" });
  const { openai } = await chatting(
    {
      lead: [
        { say: "Let me look.", calls: [{ tool: "look", input: {} }] },
        { think: "Hm.", say: "It is blue." },
      ],
    },
    { tools: [look] },
  );
  const stream = openai.chat.completions.stream({
    model: "lead",
    messages: [{ role: "user", content: "Which colour?" }],
    stream_options: { include_usage: true },
  });
  const final = await stream.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe("Let me look.\n\nIt is blue.");
  expect(final.usage?.total_tokens).toBeGreaterThan(0);
});

test("[OA5] responses continue by the id of the one before, and can be read again", async () => {
  const { openai, dialogs } = await chatting({ lead: [say("One."), say("Two."), say("Three.")] });
  const first = await openai.responses.create({ model: "lead", input: "Go" });
  expect(first.output_text).toBe("One.");
  const stream = openai.responses.stream({ model: "lead", input: "On", previous_response_id: first.id });
  const second = await stream.finalResponse();
  expect(second.output_text).toBe("Two.");
  const third = await openai.responses.create({ model: "lead", input: "On", previous_response_id: second.id });
  expect(third.output_text).toBe("Three.");
  expect(dialogs()).toHaveLength(1);
  expect((await openai.responses.retrieve(first.id)).output_text).toBe("One.");
  expect((await openai.responses.retrieve(third.id)).output_text).toBe("Three.");
  await expect(openai.responses.retrieve("resp_nonsense")).rejects.toMatchObject({ status: 400 });
});

test("[OA5] a response in the background returns at once", async () => {
  const gate = latch();
  const { openai } = await chatting({ lead: [{ hold: gate.opened, say: "Done." }] });
  const { id, status } = await openai.responses.create({ model: "lead", input: "Go", background: true });
  expect(status).toBe("in_progress");
  expect((await openai.responses.retrieve(id)).status).toBe("in_progress");
  gate.open();
  await expect.poll(async () => (await openai.responses.retrieve(id)).output_text).toBe("Done.");
});

test.each(["1", "Blue", " 1 "])("[OA6] a question is a message with choices, and %j answers it", async (given) => {
  const { chat, project, server } = await chatting({ lead: [askColour, say("Blue it is.")] });
  const one = chat();
  const text = await one.says("Paint the shop.");
  const [question] = await project.questions.list();
  expect(text).toBe(
    "**Which colour?**\n\nThe shop needs paint.\n\n1. Blue\n   + calm\n2. Green\n\n" +
      `Answer with the number or the label of a choice, or at ${server.url}/p/shop/q/${question?.id}`,
  );
  expect(await one.says(given)).toBe("Blue it is.");
  expect((await project.questions.get(question?.id ?? "")).answer).toMatchObject({ choice: ["Blue"], by: "owner" });
});

test("[OA6] responses ask and are answered too", async () => {
  const { openai, project } = await chatting({ lead: [askColour, say("Green it is.")] });
  const asked = await openai.responses.create({ model: "lead", input: "Paint the shop." });
  const done = await openai.responses.create({ model: "lead", input: "2", previous_response_id: asked.id });
  expect(done.output_text).toBe("Green it is.");
  expect(project.questions.count()).toBe(0);
});

test("[OA6] any other text is a message, and the question stays open", async () => {
  const { chat, project } = await chatting({ lead: [askColour, say("Both are cheap."), say("Blue it is.")] });
  const one = chat();
  await one.says("Paint the shop.");
  const text = await one.says("1 is nice, but what does it cost?");
  expect(text).toContain("Both are cheap.");
  expect(text).toContain("**Which colour?**");
  expect(project.questions.count()).toBe(1);
  expect(await one.says("1")).toContain("Blue it is.");
});

test("[OA7] an approval is never given by a message", async () => {
  let isDone = false;
  const deploy = defineTool({
    name: "deploy",
    description: "Deploys.",
    input: z.strictObject({}),
    approval: true,
    run: () => {
      isDone = true;
      return "done";
    },
  });
  const { chat, project } = await chatting({ lead: [call("deploy"), say("I wait."), say("I still wait.")] }, { tools: [deploy] });
  const one = chat();
  const text = await one.says("Deploy it.");
  const [approval] = await project.questions.list();
  expect(approval?.kind).toBe("approval");
  expect(text).toContain(`Decide at `);
  for (const given of ["1", "approve"]) await one.says(given);
  expect(project.questions.count()).toBe(1);
  expect(isDone).toBe(false);
});

test("[OA7] a choice that comes too late is refused with what happened, and the conversation goes on", async () => {
  const { chat, project } = await chatting({ lead: [askColour, say("Green it is."), say("You are welcome.")] });
  const one = chat();
  await one.says("Paint the shop.");
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", { choice: "Green", by: "anna" });
  await project.dialogs.quiet(question?.dialog.rootId ?? "");
  await expect(one.says("1")).rejects.toMatchObject({ status: 409, code: "question_not_open", message: expect.stringContaining("anna") });
  expect(await one.says("Thanks")).toBe("Green it is.\n\nYou are welcome.");
});

test("[OA8] what was said after an answer elsewhere begins the next reply", async () => {
  const { chat, project } = await chatting({ lead: [askColour, say("Green it is."), say("You are welcome.")] });
  const one = chat();
  await one.says("Paint the shop.");
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", { choice: "Green", by: "anna" });
  await project.dialogs.quiet(question?.dialog.rootId ?? "");
  expect(await one.says("Thanks")).toBe("Green it is.\n\nYou are welcome.");
});

test("[OA9] a repeated request has the effect of one", async () => {
  const { openai, dialogs } = await chatting({ lead: () => say("Done.") });
  const request = { model: "lead", messages: [{ role: "user" as const, content: "Go" }] };
  const ids = [];
  for (let nth = 0; nth < 2; nth++) ids.push((await openai.chat.completions.create(request, { headers: { "idempotency-key": "one" } })).id);
  ids.push((await openai.chat.completions.create(request, { headers: { "x-stainless-retry-count": "1" } })).id);
  expect(new Set(ids).size).toBe(1);
  expect(dialogs()).toHaveLength(1);
});

test("[OA10] only a token in the Authorization header opens it, and from no other site", async () => {
  const { server } = await chatting({});
  const status = async (headers: Record<string, string>) => (await fetch(`${server.url}/v1/models`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ cookie: "colloquy=anything" })).toBe(401);
  expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  expect(await status({ authorization: `Bearer ${TOKEN}`, origin: "https://elsewhere.example" })).toBe(403);
  expect(await status({ authorization: `Bearer ${TOKEN}` })).toBe(200);
});

test("[OA11] nonsense gets the API's errors, and changes nothing", async () => {
  const { server, openai, dialogs } = await chatting({});
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const messages: Message[] = [{ role: "user", content: "Go" }];
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    "7",
    '{"model":"lead"}',
    '{"model":"lead","messages":[]}',
    '{"model":"lead","messages":[{"role":"god"}]}',
  ];
  for (const path of ["chat/completions", "responses"])
    for (const body of bodies) {
      const answer = await fetch(`${server.url}/v1/${path}`, { method: "POST", body, headers });
      expect({ path, body, status: answer.status, ...((await answer.json()) as object) }).toMatchObject({
        status: 400,
        error: { type: "invalid_request_error", message: expect.any(String) },
      });
    }
  expect((await fetch(`${server.url}/v1/nonsense`, { headers })).status).toBe(404);
  await expect(openai.chat.completions.create({ model: "gpt-9", messages })).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
  const tool = { type: "function" as const, function: { name: "shell", parameters: {} } };
  await expect(openai.chat.completions.create({ model: "lead", messages, tools: [tool] })).rejects.toMatchObject({
    status: 400,
    code: "unsupported_parameter",
    param: "tools",
  });
  const image = { type: "image_url" as const, image_url: { url: "http://127.0.0.1:1/secret.png" } };
  await expect(
    openai.chat.completions.create({ model: "lead", messages: [{ role: "user", content: [{ type: "text", text: "Look" }, image] }] }),
  ).rejects.toMatchObject({ status: 400, param: "image_url" });
  expect(dialogs()).toHaveLength(0);
});

test("[OA12] the code is loaded with the first request, and by nothing else", async () => {
  expect(await loadedBy("openai-api", "bridge")).toEqual([]);
});
