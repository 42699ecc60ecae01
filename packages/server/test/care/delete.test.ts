import { call, say } from "@colloquy/testing/internals";
import { Api } from "@colloquy/client";
import { expect, test } from "vitest";
import { connect, served, TOKEN } from "../support.ts";

const P = "/projects/shop";
const telling = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };

test("[SV101] [CA15] [CA17] a dialog is deleted over HTTP, and followers are told", async () => {
  const { api, project, server } = await served(telling);
  const { body: made } = await api("POST", `${P}/dialogs`, { content: "Decide", msgId: "m1" });
  await project.dialogs.quiet(made.rootId);
  const follower = await connect(server.url);
  await follower.send({ type: "subscribe", after: 0 });
  const client = new Api({ url: server.url, token: TOKEN });
  expect((await client.questions.list({ status: "open" })).questions).toHaveLength(1);
  await client.dialogs.delete(made.rootId, { msgId: "once" });
  await client.dialogs.delete(made.rootId, { msgId: "once" });
  const told = await follower.next(({ type }) => type === "dialog.deleted");
  expect(told).toMatchObject({ rootId: made.rootId, projectId: "shop" });
  expect((await client.questions.list({ status: "open" })).questions).toEqual([]);
  expect((await client.dialogs.list()).dialogs).toEqual([]);
  await expect(client.dialogs.view(made.rootId)).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("was deleted on") as string,
  });
  const late = await connect(server.url);
  await late.send({ type: "subscribe", after: 0 });
  expect(await late.next(({ type }) => type === "dialog.deleted")).toEqual(told);
});
