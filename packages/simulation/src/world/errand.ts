import { type Project, Refused } from "@colloquy/library";
import type { QuestionId, RootId } from "@colloquy/schema";
import { demand } from "../broken.ts";
import type { Chance } from "./chance.ts";
import { openSite, type ProcessWorld, type Started } from "./process.ts";
import type { Site } from "./site.ts";

const BY = "somebody at a terminal";

/**
 * A command in a terminal while no server runs: opens the project, sends one command, drives that tree until it is quiet or the person
 * loses patience, and closes.
 */
export async function runErrand(world: ProcessWorld, site: Site, started: Started, chance: Chance): Promise<void> {
  const drive = chance.pick(["touched", "touched", "none"] as const);
  const { project } = await openSite(world, site, started, drive);
  try {
    const rootId = await sayOneThing(project, site, `errand-${started.pid}`, chance);
    if (drive === "none") return;
    await project.takeUp(rootId);
    await Promise.race([project.dialogs.quiet(rootId), world.schedule.sleep(started.life, chance.wait(10, 120_000))]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  } finally {
    await project.close();
  }
}

async function sayOneThing(project: Project, { ledger }: Site, msgId: string, chance: Chance): Promise<RootId> {
  const signed = { by: BY, msgId };
  const content = `Please #m${msgId.replace(/\D/g, "")}#`;
  const tree = chance.pick([...ledger.trees.values()]);
  const say = async (): Promise<RootId> => {
    if (!tree || chance.is(0.2)) return (await project.dialogs.create({ content, ...signed })).id;
    const [question] = tree.openQuestions.keys();
    if (question !== undefined && chance.is(0.7)) await project.questions.answer(question as QuestionId, { content, ...signed });
    else if (chance.is(0.2)) await project.dialogs.resume(tree.rootId, signed);
    else await project.dialogs.send(tree.rootId, { content, ...signed });
    return tree.rootId;
  };
  const rootId = await say();
  const text = JSON.stringify(ledger.lines(rootId));
  // Resuming a dialog that isn't stopped records nothing.
  if (text.includes(content))
    demand(ledger.placeOf(BY, msgId) !== undefined, "SI1", () => `${msgId} was acknowledged and is not in the log`);
  return rootId;
}
