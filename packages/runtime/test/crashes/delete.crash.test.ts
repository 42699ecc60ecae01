import { call, crashEverywhere, say, type Telling } from "@colloquy/testing";
import { expect, test } from "vitest";

// A dialog with an open question is deleted, and another one is brought along. People retry with the same `msgId`.

const script: Telling = { lead: [call("askHuman", { tellaskContent: "Which one?" }), say("So be it.")] };
const agents = [{ id: "lead", name: "Lead", role: "You lead.", default: true }];

test("[CA16] whenever the process dies, a dialog is there or it is deleted", async () => {
  const { runs } = await crashEverywhere(async (open) => {
    const t = await open({ agents, script });
    const { id } = await t.run((project) => project.dialogs.create({ content: "Decide", msgId: "m1" }));
    await t.run((project) => project.dialogs.quiet(id));
    const { id: other } = await t.run((project) => project.dialogs.create({ content: "Stay", msgId: "m2" }));
    await t.run((project) => project.dialogs.quiet(other));
    await t.run(async (project) => {
      const seen = project.dialogs.entry(id);
      // At most it has been stopped already: its question is open.
      if (seen) expect((await project.questions.list()).filter(({ dialog }) => dialog.rootId === id)).toHaveLength(1);
      await project.dialogs.delete(id, { msgId: "d1", by: "anna" });
    });
    await t.run(async (project) => {
      expect(project.dialogs.list().map(({ rootId }) => rootId)).toEqual([other]);
      expect((await project.questions.list({ all: true })).map(({ dialog }) => dialog.rootId)).toEqual([other]);
      await expect(project.dialogs.view(id)).rejects.toThrow("was deleted on");
    });
  });
  expect(runs).toBeGreaterThan(8);
});
