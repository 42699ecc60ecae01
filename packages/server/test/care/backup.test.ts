import { say } from "@colloquy/testing/internals";
import { Api } from "@colloquy/client";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { served, TOKEN } from "../support.ts";

const P = "/projects/shop";

test("[SV102] [CA23] [CA25] what is new since a commit comes over HTTP", async () => {
  const { api, project, server } = await served({ lead: [say("One."), say("Two.")] });
  const { body: made } = await api("POST", `${P}/dialogs`, { content: "Decide", msgId: "m1" });
  await project.dialogs.quiet(made.rootId);
  const client = new Api({ url: server.url, token: TOKEN });
  const read = async (query: { after?: number; project?: string }) => {
    const bytes = Buffer.from(await new Response((await client.backup(query)) as never).arrayBuffer());
    return gunzipSync(bytes)
      .toString()
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as { is: string; after: number; pos: number; project: string; commits: number });
  };
  const [first, ...rest] = await read({});
  const pos = project.health().pos;
  expect([first?.after, first?.pos, rest.at(-1)?.is, rest.at(-1)?.commits]).toEqual([0, pos, "end", pos]);
  await project.dialogs.send(made.rootId, "More");
  await project.dialogs.quiet(made.rootId);
  const [second, ...news] = await read({ after: pos, project: first?.project ?? "" });
  expect([second?.after, second?.pos, news.at(-1)?.commits]).toEqual([pos, project.health().pos, project.health().pos - pos]);
  await expect(client.backup({ after: 1_000_000 })).rejects.toMatchObject({ code: "bad_request" });
  await expect(client.backup({ project: "another" })).rejects.toMatchObject({ code: "bad_request" });
});
