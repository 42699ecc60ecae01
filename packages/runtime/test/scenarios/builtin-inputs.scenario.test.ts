import { builtinInputs } from "@colloquy/schema";
import { expect, test } from "vitest";
import { call, say, world } from "@colloquy/testing/internals";

const nonsense = [
  {},
  null,
  "x",
  [],
  { what: 1 },
  { call: 5, content: 7, tasks: "no", reminder_id: "x", delegations: {}, selector: 1, path: null, scope: 3, phase: 0, task: [] },
];
const agents = [{ id: "lead", name: "Lead", role: "You lead.", default: true, tools: ["tasks"] }];

/** Tools without required input. */
const TAKE_NOTHING = new Set(["clear_mind", "cancel_asks", "mark_done"]);

test.each(Object.keys(builtinInputs))("[T3] invalid input to %s is reported to the model, and its dialog continues", async (tool) => {
  for (const input of nonsense) {
    const w = await world({ telling: { lead: [call(tool, input), say("So."), say("Well.")] }, files: new Map(), agents });
    const dialog = await w.project.dialogs.create({ content: "go", taskDocPath: "tasks/shop.tsk/" });
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).stopped).toBeUndefined();
    expect(w.reports).toEqual([]);
    const ended = (await w.events(dialog.id)).flatMap((event) => (event.type === "call.ended" ? [event.outcome] : []));
    if (TAKE_NOTHING.has(tool)) continue;
    expect(ended).toEqual(["refused"]);
    expect(w.requests).toHaveLength(2);
  }
});
