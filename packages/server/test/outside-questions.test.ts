import { expect, test } from "vitest";
import { served } from "./support.ts";

const P = "/projects/shop";
const question = { headline: "Deploy?", options: ["Yes", "No"], program: "release.sh", msgId: "release-7" };

test("[SV91] a program asks people over HTTP, and reads the answer that somebody gave", async () => {
  const { api, server } = await served({});
  const asked = await api("POST", `${P}/questions`, question);
  expect(asked).toMatchObject({ status: 201, body: { url: `${server.url}/p/shop/q/${asked.body.questionId}` } });
  expect((await api("POST", `${P}/questions`, question)).body).toMatchObject({ questionId: asked.body.questionId });
  expect((await api("GET", `${P}/questions`)).body.questions).toMatchObject([{ program: "release.sh", headline: "Deploy?" }]);
  const at = `${P}/questions/${asked.body.questionId}`;
  await api("POST", `${at}/answer`, { choice: "Yes", msgId: "answer-7" });
  expect((await api("GET", at)).body).toMatchObject({ status: "answered", answer: { choice: ["Yes"], by: "owner" } });
});

test("[SV91] without a program's name the credential's name is shown; a bad question changes nothing", async () => {
  const { api } = await served({});
  expect((await api("POST", `${P}/questions`, { headline: "" })).status).toBe(400);
  expect((await api("POST", `${P}/questions`, { headline: "Hm?", colour: "red" })).body.error.message).toContain("colour");
  await api("POST", `${P}/questions`, { headline: "Hm?" });
  expect((await api("GET", `${P}/questions`)).body.questions).toMatchObject([{ program: "owner" }]);
});

test.each([
  ["headline", { headline: "h".repeat(1_001) }],
  ["text", { headline: "Hm?", text: "t".repeat(50_001) }],
  ["options", { headline: "Hm?", options: ["a".repeat(30_000), "b".repeat(30_000)] }],
  ["program", { headline: "Hm?", program: "p".repeat(101) }],
])("[Q36] a question with too long a %s is refused and changes nothing", async (field, body) => {
  const { api } = await served({});
  const { status, body: answer } = await api("POST", `${P}/questions`, body);
  expect({ status, message: answer.error.message }).toEqual({ status: 400, message: expect.stringContaining(field) });
  expect((await api("GET", `${P}/questions`)).body.questions).toEqual([]);
});

test("[Q37] a program is not taken for an agent or for the owner, whatever name it gives", async () => {
  const { api } = await served({ lead: [] });
  const names = ["lead", "LEAD", " Lead ", "L\u200bead", "system", "Owner", "release.sh", "owner"];
  for (const program of names) await api("POST", `${P}/questions`, { headline: "Hm?", program });
  const shown = (await api("GET", `${P}/questions`)).body.questions.map(({ program }: { program: string }) => program);
  const marked = ["lead", "LEAD", "Lead", "L\u200bead", "system", "Owner"].map((name) => `${name} (program)`);
  // The owner's own token asked under the owner's name.
  expect(shown.toSorted()).toEqual([...marked, "release.sh", "owner"].toSorted());
});
