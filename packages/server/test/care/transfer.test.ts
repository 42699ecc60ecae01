import { call, say } from "@colloquy/testing/internals";
import { Api } from "@colloquy/client";
import { expect, test } from "vitest";
import { served, TOKEN } from "../support.ts";

const P = "/projects/shop";
const telling = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };

test("[SV100] [CA8] [CA9] dialogs are exported and imported as files over HTTP", async () => {
  const { api, project, server } = await served(telling);
  const { body: made } = await api("POST", `${P}/dialogs`, { content: "Decide", msgId: "m1" });
  await project.dialogs.quiet(made.rootId);
  const client = new Api({ url: server.url, token: TOKEN });
  const response = await fetch(`${server.url}/api${P}/dialogs/${made.rootId}/export`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect([response.status, response.headers.get("content-type"), response.headers.get("content-disposition")]).toEqual([
    200,
    "application/gzip",
    `attachment; filename="${made.rootId.slice(-6)}.colloquy.gz"`,
  ]);
  await response.arrayBuffer();
  const file = await new Response((await client.dialogs.exportAll()) as never).blob();
  const { dialogs } = await client.import(file, { msgId: "once" });
  expect(dialogs).toMatchObject([{ from: made.rootId }]);
  expect(await client.import(file, { msgId: "once" })).toEqual({ dialogs });
  expect(project.dialogs.list()).toHaveLength(2);
  expect((await client.questions.list({ status: "open" })).questions).toHaveLength(2);
  await expect(client.import(new Blob(["nothing"]))).rejects.toMatchObject({ code: "bad_request" });
  await expect(client.dialogs.export("f".repeat(32))).rejects.toMatchObject({ code: "not_found" });
});
