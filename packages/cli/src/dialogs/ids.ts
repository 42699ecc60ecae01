import type { DialogAddress, Located, QuestionId, RootId } from "@colloquy/library";
import { isMain, mainAddress as mainOf, shortId } from "@colloquy/schema";
import type { ProjectAccess } from "../access/project-access.ts";
import { type Failure, notFound, refused } from "../line/failure.ts";
import { type Asked, askedIn } from "./inbox.ts";
import { lastDialog, rememberDialog } from "./last-dialog.ts";
import { oneLine } from "../terminal/visible.ts";
import { cut } from "../terminal/width.ts";

const SHOWN_DIGITS = 6;
/** More matches than this aren't counted. */
const MAX_MATCHES = 50;
const MAX_NAMED = 5;

export type { DialogAddress };
export { isMain, mainOf, shortId };

/** A dialog as named by the person, perhaps by a question's digits. */
interface Match {
  readonly place: DialogAddress;
  readonly question?: QuestionId;
}

/**
 * Finds a dialog: by digits from either end, by the start of the six printed ones, by its title, or `@` for the last one used. A
 * question's digits name the dialog that asked it. The result becomes `@`.
 */
export const findDialog = async (project: ProjectAccess, typed: string): Promise<DialogAddress> => (await find(project, typed)).place;

export async function find(project: ProjectAccess, typed: string): Promise<Match> {
  const found = typed === "@" ? { place: await lastTouched(project) } : await byName(project, typed);
  await rememberDialog(project.dir, found.place.selfId);
  return found;
}

/**
 * Finds a question: by digits from either end, or the start of the printed ones; by its agent's name for it; or, by a dialog's name,
 * the only one open in its tree.
 */
export async function findQuestion(project: ProjectAccess, typed: string): Promise<QuestionId> {
  const digits = digitsIn(typed);
  const open = typed === "@" ? [] : await openQuestions(project);
  const named = open.filter(({ given }) => given === typed);
  if (digits === undefined) {
    const [only, another] = named;
    if (another) throw await ambiguous(project, typed, named.map(asLocated));
    return only ? remembered(project, only.rootId, only.id) : onlyQuestionOf(project, typed);
  }
  const byEnds = open.filter(({ id, given }) => id.startsWith(digits) || id.endsWith(digits) || given === typed);
  const located = byEnds.length > 0 ? [] : await project.locate(digits, MAX_MATCHES);
  const asked = byEnds.length > 0 || located.length > 0 ? byEnds : open.filter(({ id }) => shortId(id).startsWith(digits));
  const fitting: readonly Located[] = asked.length > 0 ? asked.map(asLocated) : located.filter((one) => one.kind === "question");
  const [only, another] = fitting;
  if (another) throw await ambiguous(project, typed, fitting);
  if (only?.kind === "question") return remembered(project, only.rootId, only.question);
  return onlyQuestionOf(project, typed);
}

const asLocated = ({ id, rootId }: Asked): Located => ({ kind: "question", rootId, question: id });

async function onlyQuestionOf(project: ProjectAccess, typed: string): Promise<QuestionId> {
  const place = typed === "@" ? await touchedPlace(project) : (await byName(project, typed, "question")).place;
  const all = await openQuestions(project);
  // A person must have seen a question before deciding it, even if it is the only one.
  if (!place) throw notFound(`${NOTHING_TOUCHED} ${all.length > 0 ? `Open: ${names(all)}.` : "No question is open."}`);
  const open = all.filter(({ rootId }) => rootId === place.rootId);
  const [only, another] = open;
  if (only === undefined) throw notFound(`Dialog ${shortId(place.rootId)} has no open question. colloquy questions lists the open ones.`);
  if (another === undefined) return remembered(project, only.rootId, only.id);
  throw refused("ambiguous", `Dialog ${shortId(place.rootId)} asks ${open.length} questions: ${names(open)}. Name one.`);
}

const NOTHING_TOUCHED = "@ refers to the last dialog you used; there is none yet.";

const names = (questions: readonly Asked[]): string =>
  questions
    .slice(0, MAX_NAMED)
    .map(({ id }) => shortId(id))
    .join(", ") + (questions.length > MAX_NAMED ? ", …" : "");

/** Answering counts as using the tree. */
async function remembered(project: ProjectAccess, rootId: RootId, question: QuestionId): Promise<QuestionId> {
  await rememberDialog(project.dir, rootId);
  return question;
}

const openQuestions = async (project: ProjectAccess): Promise<readonly Asked[]> => askedIn(await project.dialogs());

async function lastTouched(project: ProjectAccess): Promise<DialogAddress> {
  const place = await touchedPlace(project);
  if (!place) throw notFound(`${NOTHING_TOUCHED} colloquy ls lists them.`);
  return place;
}

async function touchedPlace(project: ProjectAccess): Promise<DialogAddress | undefined> {
  const digits = await lastDialog(project.dir);
  const [found] = digits === undefined ? [] : await project.locate(digits, 1);
  return found?.kind === "dialog" ? { rootId: found.rootId, selfId: found.selfId } : undefined;
}

async function byName(project: ProjectAccess, typed: string, wanted = "dialog"): Promise<Match> {
  const found = await byDigits(project, typed);
  const fitting = found.length > 0 ? found : await byWhatIsListed(project, typed);
  const [only, another] = fitting;
  if (only === undefined)
    throw notFound(`There is no ${wanted} "${typed}". colloquy ${wanted === "question" ? "questions" : "ls"} lists them.`);
  if (another !== undefined) throw await ambiguous(project, typed, fitting);
  if (only.kind === "dialog") return { place: { rootId: only.rootId, selfId: only.selfId } };
  return { place: (await project.question(only.question)).dialog, question: only.question };
}

const digitsIn = (typed: string): string | undefined => /^[0-9a-f]{1,64}$/.exec(typed.toLowerCase())?.[0];

async function byDigits(project: ProjectAccess, typed: string): Promise<readonly Located[]> {
  const digits = digitsIn(typed);
  if (digits === undefined) return [];
  const found = await project.locate(digits, MAX_MATCHES);
  const whole = found.find((one) => idOf(one) === digits);
  return whole ? [whole] : found;
}

const idOf = (one: Located): string => (one.kind === "dialog" ? one.selfId : one.question);

/** By the title, by an agent's name for its question, or by the first of the six digits in a list. */
async function byWhatIsListed(project: ProjectAccess, typed: string): Promise<readonly Located[]> {
  const wanted = typed.trim().toLowerCase();
  const entries = await project.dialogs();
  const titled = entries.filter((entry) => entry.title.toLowerCase() === wanted);
  const digits = digitsIn(wanted);
  const dialogs = titled.length > 0 || digits === undefined ? titled : entries.filter(({ rootId }) => shortId(rootId).startsWith(digits));
  if (dialogs.length > 0) return dialogs.map(({ rootId }) => ({ kind: "dialog", ...mainOf(rootId) }));
  const isMeant = ({ id, given }: Asked) => given === typed.trim() || (digits !== undefined && shortId(id).startsWith(digits));
  return askedIn(entries).filter(isMeant).map(asLocated);
}

async function ambiguous(project: ProjectAccess, typed: string, fitting: readonly Located[]): Promise<Failure> {
  const named = fitting.slice(0, MAX_NAMED);
  const digits = distinctDigits(named.map(idOf));
  const names = await Promise.all(
    named.map(async (one) => `${idOf(one).slice(-digits)} "${cut(oneLine(await titleOf(project, one)), 60)}"`),
  );
  const count = fitting.length >= MAX_MATCHES ? `more than ${MAX_MATCHES - 1}` : String(fitting.length);
  const kinds = new Set(fitting.map(({ kind }) => kind));
  const what = kinds.size > 1 ? "things" : kinds.has("question") ? "questions" : "dialogs";
  return refused("ambiguous", `"${typed}" fits ${count} ${what}: ${names.join(", ")}${fitting.length > MAX_NAMED ? ", …" : ""}`);
}

async function titleOf(project: ProjectAccess, one: Located): Promise<string> {
  if (one.kind === "question") return (await project.question(one.question)).headline;
  return isMain(one) ? ((await project.entry(one.rootId))?.title ?? "") : (await project.view(one)).title;
}

/** Six digits, or as many as needed to distinguish these. */
function distinctDigits(ids: readonly string[]): number {
  let digits = SHOWN_DIGITS;
  while (digits < 64 && new Set(ids.map((id) => id.slice(-digits))).size < ids.length) digits++;
  return digits;
}
