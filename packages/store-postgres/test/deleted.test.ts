import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { type Node, nodes } from "./nodes.ts";

const telling = { lead: [call("askHuman", { tellaskContent: "Which one?" }), say("So be it.")] };

test("[CA15] [CA17] a dialog that one node deletes is gone for all of them, and an import on another one brings it back", async () => {
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  const dialog = await a.project.dialogs.create({ content: "Decide" });
  await a.project.dialogs.quiet(dialog.id);
  const file: Uint8Array[] = [];
  for await (const part of await a.project.dialogs.export(dialog.id)) file.push(part);
  await expect.poll(() => b.project.questions.count()).toBe(1);
  await b.project.dialogs.delete(dialog.id, { by: "bea" });
  await expect.poll(() => a.project.dialogs.list().length).toBe(0);
  expect(a.project.questions.count()).toBe(0);
  await expect(a.project.dialogs.view(dialog.id)).rejects.toThrow(/was deleted on .* by bea/);
  const parts = (async function* () {
    yield* file;
  })();
  expect(await a.project.import(parts)).toEqual([{ from: dialog.id, rootId: dialog.id }]);
  await expect.poll(() => b.project.questions.count()).toBe(1);
  expect(await b.project.dialogs.view(dialog.id)).toMatchObject({ title: "Decide" });
});
