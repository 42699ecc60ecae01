import OpenAI from "openai";
import { expect, test } from "vitest";
import { projectFolder, startVictim, type Victim } from "../folder.ts";
import { api } from "../support.ts";

const P = "/projects/shop";

/** The open question, answered over the HTTP API, as a person elsewhere does. */
async function answered({ url, token }: Victim, choice: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { questions } = (await api(url)("GET", `${P}/questions?status=open`, undefined, headers)).body;
  expect(questions).toHaveLength(1);
  const { id, dialog } = questions[0];
  await api(url)("POST", `${P}/questions/${id}/answer`, { choice, msgId: "elsewhere" }, headers);
  await api(url)("GET", `${P}/dialogs/${dialog.rootId}/quiet?within=30000`, undefined, headers);
}

test("[OA2] [OA5] [OA8] a question waits through a kill, is answered elsewhere, and both of OpenAI's APIs go on", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const clientOf = ({ url, token }: Victim) => new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Please decide." }];
  const asked = await clientOf(first).chat.completions.create({ model: "lead", messages });
  const text = asked.choices[0]?.message.content ?? "";
  expect(text).toContain("1. A\n2. B");
  await first.kill("SIGKILL");
  const second = await startVictim(dir);
  await answered(second, "B");
  messages.push({ role: "assistant", content: text }, { role: "user", content: "Hello" });
  const next = await clientOf(second).chat.completions.create({ model: "lead", messages });
  expect(next.choices[0]?.message.content).toBe("So be it.\n\nI heard: Hello");

  const other = await clientOf(second).responses.create({ model: "lead", input: "Please decide." });
  await second.kill("SIGKILL");
  const third = await startVictim(dir);
  await answered(third, "A");
  expect((await clientOf(third).responses.retrieve(other.id)).output_text).toContain("So be it.");
  const last = await clientOf(third).responses.create({ model: "lead", input: "Hello", previous_response_id: other.id });
  expect(last.output_text).toContain("I heard: Hello");
});

test("[OA9] a client whose server is killed while it works repeats its request, which has the effect of one", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const openai = new OpenAI({ apiKey: first.token, baseURL: `${first.url}/v1`, maxRetries: 8 });
  const working = openai.chat.completions.create({ model: "lead", messages: [{ role: "user", content: "wait for it" }] });
  const headers = { authorization: `Bearer ${first.token}` };
  await expect.poll(async () => (await api(first.url)("GET", `${P}/dialogs`, undefined, headers)).body.dialogs).toHaveLength(1);
  await first.kill("SIGKILL");
  const second = await startVictim(dir, first.port);
  expect((await working).choices[0]?.message.content).toBe("At last.");
  expect((await api(second.url)("GET", `${P}/dialogs`, undefined, headers)).body.dialogs).toHaveLength(1);
});
