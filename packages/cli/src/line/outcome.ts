import type { DialogView, QuestionView } from "@colloquy/library";
import type { ProjectAccess } from "../access/project-access.ts";
import { shortId, type DialogAddress } from "../dialogs/ids.ts";
import { openIn } from "../dialogs/inbox.ts";
import { lastWords } from "../dialogs/last-words.ts";
import { visible } from "../terminal/visible.ts";
import { stoppedIn, workingIn } from "../dialogs/tree-walk.ts";

/** A dialog's state once its tree is quiet. */
export interface Outcome {
  readonly view: DialogView;
  /** Its last text, if it is idle. */
  readonly answer?: string;
  /** What a person must decide before it continues. */
  readonly questions: readonly QuestionView[];
  /** Why it, or a dialog it waits for, is stalled; and the next command. */
  readonly stopped?: string;
}

export async function outcomeOf(project: ProjectAccess, place: DialogAddress): Promise<Outcome> {
  const view = await project.view(place);
  if (view.stopped) return { view, questions: [], stopped: stoppedText(place, view.stopped.message) };
  if ((await project.entry(place.rootId))?.hot) {
    const spent = await spentDay(project);
    if (spent) return { view, questions: [], ...spent };
  }
  if (view.state === "interrupted") return interrupted(project, view, place);
  if (view.state !== "asking" && view.state !== "waiting") return { view, questions: [], answer: await lastWords(project, place) };
  const open = await openIn(project, place.rootId);
  const fault = open.find(({ kind }) => kind === "fault");
  if (fault) return { view, questions: open, stopped: stoppedText(fault.dialog, fault.text) };
  if (open.length > 0) return { view, questions: open };
  const [still] = stoppedIn(await project.tree(place.rootId));
  if (still)
    return {
      view,
      questions: [],
      stopped: `It waits for ${still.agentId}, whose dialog ${shortId(still.selfId)} is stopped. Resume: colloquy resume ${shortId(still.selfId)}`,
    };
  return (await project.entry(place.rootId))?.hot ? interrupted(project, view, place) : { view, questions: [] };
}

/** Work is pending and nobody drives it. If all of it is for agents of another program, that program continues it. */
async function interrupted(project: ProjectAccess, view: DialogView, place: DialogAddress): Promise<Outcome> {
  const working = workingIn(await project.tree(place.rootId));
  const isElsewhere = working.length > 0 && working.every(({ agentId }) => !project.team.some(({ id }) => id === agentId));
  return { view, questions: [], ...(!isElsewhere && { stopped: interruptedText(place) }) };
}

/** Blocked only by the day's budget: a person decides for the whole project, or it resumes the next day. */
async function spentDay(project: ProjectAccess): Promise<Pick<Outcome, "questions"> | Pick<Outcome, "stopped"> | undefined> {
  const spent = await project.spentDay();
  if (!spent) return undefined;
  if (spent.question !== undefined) return { questions: [await project.question(spent.question)] };
  return { stopped: `limits.costPerDay is spent. It resumes by itself at ${spent.until}, or when the limit in colloquy.yaml is raised.` };
}

const interruptedText = ({ selfId }: DialogAddress): string =>
  `Dialog ${shortId(selfId)} was left in the middle of something. Resume: colloquy resume ${shortId(selfId)}`;

/** Why it is stalled; adds the next command if the reason doesn't name it. */
function stoppedText({ selfId }: DialogAddress, reason: string): string {
  const id = shortId(selfId);
  const goOn = `colloquy resume ${id}`;
  const message = visible(reason);
  return message.includes(goOn) ? message : `Dialog ${id} is stopped: ${message} Resume: ${goOn}`;
}
