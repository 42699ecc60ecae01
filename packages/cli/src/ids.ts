import type { Project, RootId } from "@colloquy/library";
import { type Failure, notFound, refused } from "./failure.ts";
import { lastDialog, rememberDialog } from "./last-dialog.ts";
import { oneLine } from "./terminal/visible.ts";

const SHOWN_DIGITS = 6;
/** More than these are not counted. */
const MOST = 50;
const NAMED = 5;

/** How people see an id: its last six digits, which are by chance. */
export const shortId = (id: string): string => id.slice(-SHOWN_DIGITS);

/** The dialog that was meant: by digits from either end, by its title, or `@` for the last one touched. It becomes `@`. */
export async function findDialog(project: Project, typed: string): Promise<RootId> {
  const rootId = typed === "@" ? await lastTouched(project) : byName(project, typed);
  await rememberDialog(project.dir, rootId);
  return rootId;
}

async function lastTouched(project: Project): Promise<RootId> {
  const digits = await lastDialog(project.dir);
  const rootId = digits === undefined ? undefined : project.find(digits, 1)[0];
  if (rootId === undefined) throw notFound("No dialog was touched here yet, so @ stands for none. colloquy ls lists them.");
  return rootId;
}

function byName(project: Project, typed: string): RootId {
  const found = byDigits(project, typed);
  const fitting = found.length > 0 ? found : byTitle(project, typed);
  const [only, another] = fitting;
  if (only === undefined) throw notFound(`There is no dialog "${typed}". colloquy ls lists them.`);
  if (another !== undefined) throw ambiguous(project, typed, fitting);
  return only;
}

function byDigits(project: Project, typed: string): readonly RootId[] {
  const digits = typed.toLowerCase();
  if (!/^[0-9a-f]{1,64}$/.test(digits)) return [];
  const found = project.find(digits, MOST);
  const whole = found.find((id) => id === digits);
  return whole ? [whole] : found;
}

function byTitle(project: Project, typed: string): readonly RootId[] {
  const wanted = typed.trim().toLowerCase();
  const entries = project.dialogs().filter((entry) => entry.title.toLowerCase() === wanted);
  return entries.map((entry) => entry.rootId);
}

function ambiguous(project: Project, typed: string, fitting: readonly RootId[]): Failure {
  const digits = distinctDigits(fitting.slice(0, NAMED));
  const names = fitting.slice(0, NAMED).map((id) => `${id.slice(-digits)} "${oneLine(project.entry(id)?.title ?? "")}"`);
  const count = fitting.length >= MOST ? `more than ${MOST - 1}` : String(fitting.length);
  return refused("ambiguous", `"${typed}" fits ${count} dialogs: ${names.join(", ")}${fitting.length > NAMED ? ", …" : ""}`);
}

/** Six digits, or as many more as it takes to tell these apart. */
function distinctDigits(ids: readonly string[]): number {
  let digits = SHOWN_DIGITS;
  while (digits < 64 && new Set(ids.map((id) => id.slice(-digits))).size < ids.length) digits++;
  return digits;
}
