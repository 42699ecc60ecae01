import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { call, say, type Telling, type Told, world, type World } from "@colloquy/testing/internals";
import { doom, look, settle } from "../scenarios/tools.ts";

// One message addresses two agents; one hands over, the other waits for a person, gets a message, and gets an urgent one. People retry
// when they got no receipt.

const shown = (messages: readonly unknown[]): string => JSON.stringify(messages);

/** A stateless model: what it does follows from what it is shown. */
const telling: Telling = {
  lead: ({ messages, step }): Told => {
    if (step === 0) return say("Dates");
    const last = shown(messages.slice(-1));
    if (last.includes("What now?")) return say("Now we ship.");
    return last.includes("The phase is plan") ? say("Over to coder.") : call("set_phase", { phase: "plan", summary: "We take A." });
  },
  coder: ({ messages, step }): Told => {
    if (step === 0) return say(JSON.stringify({ message_for_user: "Soon.", system_message_for_active_ral: "They are curious." }));
    const all = shown(messages);
    if (all.includes("answered: yes")) return say("Then it is done.");
    if (all.includes("Quick!")) return say("Still waiting.");
    return call("askHuman", { tellaskContent: "Is A right?" });
  },
};

const team = [
  { id: "lead", name: "Lead", role: "You lead.", tools: [look], default: true },
  { id: "coder", name: "Coder", role: "You code.", tools: [look], busyModel: "told/busy" },
];

const picture = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));

async function story(w: World): Promise<readonly string[]> {
  const { project } = w;
  const by = "boss";
  const dialog = await project.dialogs.create({ content: "@lead @coder fix the dates", images: [picture], msgId: "m1", by });
  const quiet = async () => {
    await project.takeUp(dialog.id);
    await project.dialogs.quiet(dialog.id);
  };
  await quiet();
  await project.dialogs.send(dialog.id, { content: "@coder how far?", msgId: "m2", by });
  await quiet();
  await project.dialogs.send(dialog.id, { content: "@coder Quick!", now: true, msgId: "m3", by });
  await quiet();
  await project.dialogs.setPhase(dialog.id, "execute", { summary: "Ship it.", msgId: "m4", by });
  for (const question of await project.questions.list())
    await project.questions.answer(question.id, { content: "yes", by, msgId: `answer ${question.id}` });
  await quiet();
  await project.dialogs.send(dialog.id, { content: "What now?", msgId: "m5", by });
  await quiet();
  return w.story(dialog.id);
}

const expected = [
  "boss: @lead @coder fix the dates",
  "lead> set_phase",
  "set_phase> The phase is plan.",
  "lead: Over to coder.",
  "coder> askHuman",
  "boss: @coder how far?",
  "boss: @coder Quick!",
  "coder: Still waiting.",
  "coder: Then it is done.",
  "boss: What now?",
  "lead: Now we ship.",
];

const COMMITS = 15;

test("the story takes as many commits as the crash suite kills", async () => {
  const w = await world({ telling, agents: team, titleModel: "told/title" });
  expect(await story(w)).toEqual(expected);
  expect(w.disk.pos).toBe(COMMITS);
  expect(w.project.dialogs.list()[0]?.title).toBe("Dates");
});

describe.each(["before", "after"] as const)("killed %s a commit", (when) => {
  test.each(Array.from({ length: COMMITS }, (_, nth) => nth + 1))(
    "[C1] [C2] [J6] [J47] [J23] [J30] [J32] [J55] at commit %i: said once, in order, read once, acknowledged at most once",
    async (nth) => {
      const disk = memoryBacking();
      const { through, died } = doom({ nth, when });
      const doomed = await world({
        telling,
        agents: team,
        titleModel: "told/title",
        disk,
        through,
      });
      await Promise.race([story(doomed), died]);
      await settle(2);
      const restarted = await world({ telling, agents: team, titleModel: "told/title", disk });
      expect(await story(restarted)).toEqual(expected);
      const [entry] = restarted.project.dialogs.list();
      const events = entry ? await restarted.events(entry.rootId) : [];
      const [image] = events.flatMap((event) => (event.type === "message.added" ? (event.images ?? []) : []));
      expect((await restarted.project.dialogs.image(entry?.rootId ?? ("" as never), image?.name ?? ""))?.data).toEqual(picture);
      const told = events.flatMap((event) => (event.type === "message.acknowledged" ? [event.message] : []));
      expect(new Set(told).size).toBe(told.length);
      // Step 0 is an aside: once for the title, once for each message to the busy coder.
      const aside = [...doomed.requests, ...restarted.requests].filter(({ step }) => step === 0);
      expect(aside.filter(({ agent }) => agent === "lead").length).toBeLessThanOrEqual(1);
      expect(aside.filter(({ agent }) => agent === "coder").length).toBeLessThanOrEqual(2);
      expect(["Dates", "@lead @coder fix the dates"]).toContain(entry?.title);
      const last = [...doomed.requests, ...restarted.requests].findLast((request) => request.agent === "lead" && request.step > 0);
      expect(shown(last?.messages ?? []).match(/\*\*Previous context\*\*: Ship it\./g)).toHaveLength(1);
      expect(shown(last?.messages ?? [])).not.toContain("Soon.");
    },
  );
});
