import { RootId } from "@colloquy/schema";
import { z } from "zod";

// A part of a backup is gzipped lines of JSON: a header, the commits after one position up to another in their order, with the blobs that
// they name and the pasts of copied trees, the Taskdocs of those trees, and an end with the SHA-256 of everything before it.

/** Raised if older programs cannot read what is written. */
export const BACKUP_VERSION = 1;

export const BackupHeader = z.object({
  is: z.literal("colloquy backup"),
  version: z.number().int().positive(),
  made: z.iso.datetime(),
  /** Identifies the project. */
  project: z.string(),
  /** The commits after this one, up to `pos`. */
  after: z.number().int().nonnegative(),
  pos: z.number().int().nonnegative(),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

const LogLine = z.object({
  v: z.number().int().positive(),
  pos: z.number().int().positive(),
  seq: z.number().int().positive(),
  at: z.iso.datetime(),
  events: z.array(z.unknown()).min(1),
});
const Blob = { name: z.string(), base64: z.base64() };
const Stream = z.union([RootId, z.literal("project")]);

export const BackupRecord = z.discriminatedUnion("is", [
  z.object({ is: z.literal("past"), stream: RootId, lines: z.array(LogLine), blobs: z.array(z.object(Blob)) }),
  z.object({ is: z.literal("blob"), stream: RootId, ...Blob }),
  z.object({ is: z.literal("commit"), parts: z.array(z.object({ stream: Stream, line: LogLine })).min(1) }),
  z.object({ is: z.literal("document"), path: z.string(), text: z.string() }),
  z.object({ is: z.literal("end"), commits: z.number().int().nonnegative(), sha256: z.string() }),
]);
export type BackupRecord = z.infer<typeof BackupRecord>;
