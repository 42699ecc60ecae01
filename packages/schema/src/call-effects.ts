import { z } from "zod";

const count = z.number().int().nonnegative();

/** What a command did to one path. Paths are relative to the project's folder, with slashes. */
export const FileEffect = z.object({
  path: z.string(),
  /** `emptied`: it had content and has none now. `mode`: only its permissions changed. */
  kind: z.enum(["created", "changed", "emptied", "deleted", "moved", "mode"]),
  /** Its path before it was moved. */
  from: z.string().optional(),
  /** Set for a whole folder: the number of files in it. */
  files: count.optional(),
  bytesBefore: count.optional(),
  bytes: count.optional(),
  /** Its former content exists nowhere else: neither in git nor in another file that the command made. */
  isLost: z.literal(true).optional(),
});
export type FileEffect = z.infer<typeof FileEffect>;

/** A command's effects, read from the layer it ran on. */
export const CallEffects = z.object({
  /** The first files. `counts` covers all of them. */
  files: z.array(FileEffect),
  /** Counts of files, not folders. */
  counts: z.object({ created: count, changed: count, emptied: count, deleted: count, moved: count, lost: count }),
  /** Bytes written. */
  bytes: count,
  /**
   * What git can no longer find by name: deleted branches and tags, dropped stashes, shortened reflogs, commits that a reset left behind.
   */
  git: z.array(z.string()),
  /** Effects the files would have outside the project, in words: a link that leads out, a manifest that replaces our command. */
  reachesOut: z.array(z.string()).optional(),
  /** Paths that are never applied, because tools may not write them. */
  refused: z.array(z.string()),
});
export type CallEffects = z.infer<typeof CallEffects>;

/** A path that has changed since the command, so that the command cannot be undone. */
export const UndoConflict = z.object({
  path: z.string(),
  /** The later command that changed it. Undo that one first. */
  call: z.string().optional(),
});
export type UndoConflict = z.infer<typeof UndoConflict>;

const SIGNS = { created: "+", changed: "~", mode: "~", emptied: "∅", deleted: "−", moved: "→" } as const;

/** One effect for people, in any language: `− src/old.ts`, `→ src/a.ts ⇒ lib/a.ts`. */
export function effectLine({ path, kind, from, files }: FileEffect): string {
  const where = from === undefined ? path : `${from} ⇒ ${path}`;
  return `${SIGNS[kind]} ${where}${files === undefined ? "" : `/ (${files})`}`;
}

/** All effects as numbers: `+2 ~1 −3`. */
export const effectCounts = ({ counts }: CallEffects): string =>
  (["created", "changed", "emptied", "deleted", "moved"] as const)
    .flatMap((kind) => (counts[kind] > 0 ? [`${SIGNS[kind]}${counts[kind]}`] : []))
    .join(" ");
