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
