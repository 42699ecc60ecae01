import { defineTool } from "@colloquy/runtime";
import { call, calls, say, type Telling } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Client, connect, served } from "./support.ts";

const P = "/projects/shop";
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string() }),
  approval: true,
  run: ({ to }) => `paid ${to}`,
});
const ask = (tellaskContent: string, more: object = {}) => ["askHuman", { tellaskContent, ...more }] as const;

/** A project in memory behind a real server, with a subscribed socket. */
async function watched(telling: Telling) {
  const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [pay], default: id === "lead" }));
  const w = await served(telling, { agents });
  const client = await connect(w.server.url);
  await client.send({ type: "subscribe", project: "shop" });
  const { body } = await w.api("POST", `${P}/dialogs`, { content: "Go", msgId: "m1" });
  const rootId: string = body.rootId;
  await w.project.dialogs.quiet(rootId as never);
  return Object.assign(w, { client, rootId });
}

/** Resolves when all pending packets of the project have arrived. */
const caughtUp = async (client: Client, pos: number) => client.next((one) => one.type === "dialog.updated" && one.pos === pos);
const added = (client: Client) => client.of("notification.added").flatMap(({ notification }) => notification.questions);

test("[SV31] the packet carries the whole text of a question", async () => {
  const long = `Shall we ${"really ".repeat(20)}do it?`;
  const { client, api, project } = await watched({
    lead: [
      calls(
        ask("Which one?"),
        ask("Which database?\nWe need one for orders."),
        ask("SQLite is enough for now.", { headline: "Use SQLite?" }),
        ask(long),
      ),
    ],
  });
  await caughtUp(client, project.health().pos);
  const texts = added(client).map(({ text }) => text);
  expect(texts).toEqual(["Which one?", "Which database?\nWe need one for orders.", "Use SQLite?\nSQLite is enough for now.", long]);
  expect(added(client).map(({ headline }) => headline)).toEqual([
    "Which one?",
    "Which database?",
    "Use SQLite?",
    expect.stringMatching(/^Shall we really .*…$/),
  ]);
  const [notification] = (await api("GET", `${P}/notifications`)).body.notifications;
  expect(notification.questions.map(({ text }: { text: string }) => text)).toEqual(texts);
});

test("[SV32] a question answered in its own commit notifies nobody", async () => {
  const question = (text: string) => say(JSON.stringify({ open_questions: [text] }));
  const { client, project, rootId } = await watched({ lead: [question("Which one?"), question("Which one?"), say("Fine.")] });
  const heard: string[] = [];
  project.questions.onAsked(({ headline }) => heard.push(headline));
  const [asked] = await project.questions.list();
  await project.questions.answer(asked?.id ?? "", { content: "A", by: "anna" });
  await project.dialogs.quiet(rootId as never);
  await caughtUp(client, project.health().pos);
  const all = (await project.questions.inTree(rootId as never, {})).items;
  expect(all.map(({ reuses }) => reuses)).toEqual([asked?.id, undefined]);
  expect(client.of("notification.added")).toHaveLength(1);
  expect(client.of("notification.resolved")).toHaveLength(1);
  expect(heard).toEqual([]);
});

test("[SV33] a resolved notification has each question with its answer", async () => {
  const { client, api, project } = await watched({
    lead: [calls(ask("One?", { options: ["A", "B"] }), ask("Two?")), say("Thanks.")],
  });
  const [one, two] = await project.questions.list();
  await project.questions.answer(one?.id ?? "", { choice: 1, by: "anna" });
  await project.questions.dismiss(two?.id ?? "", { why: "Decide yourself.", by: "ben" });
  const packet = await client.next(({ type }) => type === "notification.resolved");
  const answers = [
    { headline: "One?", status: "answered", answer: { content: "", choice: ["B"], by: "anna", at: expect.any(String) } },
    { headline: "Two?", status: "dismissed", answer: { content: "Decide yourself.", by: "ben", at: expect.any(String) } },
  ];
  expect(packet).toMatchObject({ questions: answers });
  const { body } = await api("GET", `${P}/notifications?status=resolved`);
  expect(body.notifications).toMatchObject([{ status: "resolved", questions: answers }]);
});

test.each([
  { how: "approve", body: {}, verdict: "approved", told: "anna approved this already." },
  { how: "approve", body: { arguments: { to: "Eve" } }, verdict: "changed", told: "anna approved this already, with changes." },
  { how: "deny", body: { why: "Too much." }, verdict: "denied", told: 'anna denied this already: "Too much.".' },
])("[Q30][SV33][SV11] $verdict: the packet, the question and the second decider know it", async ({ how, body, verdict, told }) => {
  const { client, api, project } = await watched({ lead: [call("pay", { to: "Bob" }), say("Done.")] });
  const [question] = await project.questions.list();
  const id = question?.id ?? "";
  const shown = question?.shown ?? "";
  if (how === "approve") await project.questions.approve(id, { ...body, shown, by: "anna" });
  else await project.questions.deny(id, { ...body, shown, by: "anna" });
  expect(await client.next(({ type }) => type === "notification.resolved")).toMatchObject({
    questions: [{ status: "answered", answer: { verdict, by: "anna" } }],
  });
  expect((await api("GET", `${P}/questions/${id}`)).body.answer).toMatchObject({ verdict, by: "anna" });
  expect(await client.send({ type: "deny", questionId: id, shown, msgId: "late" })).toMatchObject({
    type: "refused",
    code: "question_not_open",
    message: told,
    question: { answer: { verdict, by: "anna" } },
  });
  const late = await api("PATCH", `${P}/notifications/${question?.notificationId}`, { approved: false });
  expect(late).toMatchObject({
    status: 409,
    body: { error: { code: "question_not_open", message: told, question: { answer: { verdict, by: "anna" } } } },
  });
});

test("[SV11] a repeated verdict gets the same receipt", async () => {
  const { api, project } = await watched({ lead: [call("pay", { to: "Bob" }), say("Done.")] });
  const [question] = await project.questions.list();
  const deny = () => api("PATCH", `${P}/notifications/${question?.notificationId}`, { approved: false, msgId: "no" });
  const first = await deny();
  expect(first).toMatchObject({ status: 200, body: { outcomes: [{ seq: expect.any(Number) }] } });
  expect((await deny()).body.outcomes).toEqual(first.body.outcomes);
});

test("[SV34] a packet with another dialog than the question's is refused", async () => {
  const { client, project, rootId, api } = await watched({
    lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Below" })],
    coder: [call("askHuman", { tellaskContent: "Which?" }), say("Good.")],
  });
  const [question] = await project.questions.list();
  const other = await api("POST", `${P}/dialogs`, { content: "Another", msgId: "m2" });
  const questionId = question?.id ?? "";
  const selfId = question?.dialog.selfId ?? "";
  expect(selfId).not.toBe(rootId);
  const shown = question?.shown ?? "";
  const packets = [
    { type: "drive_dialog_by_user_answer", content: "A", continuationType: "answer", msgId: "a" },
    { type: "dismiss_question", msgId: "b" },
    { type: "ask_back_question", content: "Why?", msgId: "c" },
    { type: "approve", shown, msgId: "d" },
    { type: "deny", shown, msgId: "e" },
  ] as const;
  for (const dialog of [{ rootId: other.body.rootId }, { rootId, selfId: rootId }, { rootId: "nonsense" }, { rootId: selfId, selfId }])
    for (const packet of packets)
      expect(await client.send({ ...packet, questionId, dialog })).toMatchObject({ type: "refused", code: "question_not_found" });
  expect((await project.questions.get(question?.id as never)).status).toBe("open");
  expect(await client.send({ ...packets[0], questionId, dialog: { rootId, selfId } })).toMatchObject({ type: "accepted" });
});

test("[Q31] over HTTP and sockets a question can be answered by its agent's name for it", async () => {
  const asked = (...ids: readonly string[]) => say(JSON.stringify({ open_questions: ids.map((id) => ({ id, text: `${id}?` })) }));
  const { client, api, project, rootId } = await watched({ lead: [asked("q1", "q2", "q3"), say("Thanks.")], coder: [asked("q3")] });
  const { body: other } = await api("POST", `${P}/dialogs`, { content: "Go", agentId: "coder", msgId: "m2" });
  await project.dialogs.quiet(other.rootId);
  expect((await api("GET", `${P}/questions/q1`)).body).toMatchObject({ headline: "q1?", given: { id: "q1" } });
  expect(await api("POST", `${P}/questions/q1/answer`, { content: "A", msgId: "m3" })).toMatchObject({ status: 200 });
  expect(await api("POST", `${P}/questions/q3/answer`, { content: "C", msgId: "m4" })).toMatchObject({
    status: 409,
    body: { error: { code: "ambiguous" } },
  });
  const [notification] = (await project.notifications.list()).items.filter(({ questions }) => questions.length === 3);
  const { body } = await api("PATCH", `${P}/notifications/${notification?.id}`, {
    responses: [
      { questionId: "q2", answer: "B" },
      { questionId: "q9", answer: "?" },
    ],
    msgId: "m5",
  });
  expect(body.outcomes).toMatchObject([{ questionId: "q2", seq: expect.any(Number) }, { error: { code: "question_not_found" } }]);
  // The name is unique within its dialog.
  await client.send({
    type: "drive_dialog_by_user_answer",
    continuationType: "answer",
    msgId: "m9",
    dialog: { rootId },
    questionId: "q3",
    content: "C",
  });
  await project.dialogs.quiet(rootId as never);
  expect((await project.questions.list()).map(({ dialog }) => dialog.rootId)).toEqual([other.rootId]);
});
