import { z } from "zod";

const count = z.number().int().nonnegative();

/** What a command did to one place in the project. Paths are relative to the project's folder, with slashes. */
export const FileEffect = z.object({
  path: z.string(),
  /** `emptied`: it held something, and holds nothing now. `mode`: only its permissions changed. */
  kind: z.enum(["created", "changed", "emptied", "deleted", "moved", "mode"]),
  /** Where it was before it moved. */
  from: z.string().optional(),
  /** A whole folder, with so many files. */
  files: count.optional(),
  bytesBefore: count.optional(),
  bytes: count.optional(),
  /** What it held is nowhere else: not in git, and not in another file that the command made. */
  isLost: z.literal(true).optional(),
});
export type FileEffect = z.infer<typeof FileEffect>;

/** What a command did, read from the layer on which it ran. */
export const CallEffects = z.object({
  /** The first of them; `counts` has them all. */
  files: z.array(FileEffect),
  /** Files, not folders. */
  counts: z.object({ created: count, changed: count, emptied: count, deleted: count, moved: count, lost: count }),
  /** How much it wrote. */
  bytes: count,
  /** What git can no longer find by name: deleted branches and tags, dropped stashes, shortened logs, commits that a reset left behind. */
  git: z.array(z.string()),
  /** What is not applied, whatever is decided about the rest: names that tools may not write. */
  refused: z.array(z.string()),
});
export type CallEffects = z.infer<typeof CallEffects>;

/** A path that is not as a command left it, so that the command cannot be undone. */
export const UndoConflict = z.object({
  path: z.string(),
  /** The later command that changed it. Undo that one first. */
  call: z.string().optional(),
});
export type UndoConflict = z.infer<typeof UndoConflict>;

const SIGNS = { created: "+", changed: "~", mode: "~", emptied: "∅", deleted: "−", moved: "→" } as const;

/** One of them for people, in any language: `− src/old.ts`, `→ src/a.ts ⇒ lib/a.ts`. */
export function effectLine({ path, kind, from, files }: FileEffect): string {
  const where = from === undefined ? path : `${from} ⇒ ${path}`;
  return `${SIGNS[kind]} ${where}${files === undefined ? "" : `/ (${files})`}`;
}

/** All of them in numbers: `+2 ~1 −3`. */
export const effectCounts = ({ counts }: CallEffects): string =>
  (["created", "changed", "emptied", "deleted", "moved"] as const)
    .flatMap((kind) => (counts[kind] > 0 ? [`${SIGNS[kind]}${counts[kind]}`] : []))
    .join(" ");
