import { world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";

const deploy = { headline: "Deploy?", text: "All tests pass.", options: ["Yes", "No"], program: "release.sh" };

test("[Q33] a program's question is in the inbox under its name, and its dialog is done once it is answered", async () => {
  const w = await world({ telling: {} });
  const { questionId, rootId } = await w.project.questions.ask(deploy);
  expect(await w.project.questions.list()).toMatchObject([
    { id: questionId, program: "release.sh", agentId: "outside", headline: "Deploy?", text: "All tests pass.", kind: "question" },
  ]);
  expect(w.project.dialogs.list()).toMatchObject([{ rootId, title: "Deploy?", state: "asking", hot: false }]);
  await w.project.questions.answer(questionId, { choice: "Yes", by: "anna" });
  expect(await w.project.questions.get(questionId)).toMatchObject({ status: "answered", answer: { choice: ["Yes"], by: "anna" } });
  expect((await w.project.dialogs.view(rootId)).status).toBe("completed");
  expect(w.requests).toHaveLength(0);
});

test("[Q33] it is dismissed and expires like any other question", async () => {
  const w = await world({ telling: {} });
  const first = await w.project.questions.ask(deploy);
  await w.project.questions.dismiss(first.questionId, { why: "Not today.", by: "anna" });
  const second = await w.project.questions.ask({ ...deploy, deadline: "2h", otherwise: "No" });
  w.clock.advance(7_200_001);
  await expect.poll(async () => (await w.project.questions.get(second.questionId)).status).toBe("expired");
  expect((await w.project.questions.get(first.questionId)).status).toBe("dismissed");
  expect(w.project.dialogs.list().map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("[Q33] closing its dialog withdraws the question", async () => {
  const w = await world({ telling: {} });
  const { questionId, rootId } = await w.project.questions.ask(deploy);
  await w.project.dialogs.done(rootId);
  expect((await w.project.questions.get(questionId)).status).toBe("withdrawn");
});

test("[Q34] the same msgId asks once; with another question it is refused", async () => {
  const w = await world({ telling: {} });
  const first = await w.project.questions.ask({ ...deploy, msgId: "release-7" });
  expect(await w.project.questions.ask({ ...deploy, msgId: "release-7" })).toEqual(first);
  for (const other of [{ headline: "Roll back?" }, { otherwise: "No" }])
    await expect(w.project.questions.ask({ ...deploy, ...other, msgId: "release-7" })).rejects.toMatchObject({ code: "msg_id_reused" });
  expect(await w.project.questions.list()).toHaveLength(1);
});

test("[Q35] its dialog takes no messages, before and after the answer, and it cannot be asked back", async () => {
  const w = await world({ telling: {} });
  const { questionId, rootId } = await w.project.questions.ask(deploy);
  const refused = { code: "bad_request", message: expect.stringContaining("release.sh") as string };
  await expect(w.project.dialogs.send(rootId, "Hello?")).rejects.toMatchObject(refused);
  await expect(w.project.questions.askBack(questionId, "Which version?")).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("cannot be asked back") as string,
  });
  await w.project.questions.answer(questionId, "Yes");
  await expect(w.project.dialogs.send(rootId, "Hello?")).rejects.toMatchObject(refused);
});

test.each([
  [{ headline: " " }, "headline"],
  [{ options: ["Yes", "Yes"] }, "options"],
  [{ otherwise: "Maybe" }, "otherwise"],
  [{ options: [], allowOther: false }, "allowOther"],
  [{ deadline: "2020-01-01" }, "deadline"],
  [{ deadline: "soon" }, "deadline"],
])("[Q36] %j is refused, and nothing is asked", async (wrong, field) => {
  const w = await world({ telling: {} });
  await expect(w.project.questions.ask({ ...deploy, ...wrong })).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining(field) as string,
  });
  expect(await w.project.questions.list()).toHaveLength(0);
  expect(w.project.dialogs.list()).toHaveLength(0);
});
