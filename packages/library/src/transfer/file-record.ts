import { SECTIONS } from "@colloquy/core";
import { RootId } from "@colloquy/schema";
import { z } from "zod";

// A file of dialogs is gzipped lines of JSON: a header, and for each tree its head, its Taskdoc, its log lines byte for byte, its blobs, and
// an end with the SHA-256 of all these. The last line has the SHA-256 of everything before it.

/** Raised if older programs cannot read what is written. */
export const FILE_VERSION = 1;

export const FileHeader = z.object({
  is: z.literal("colloquy export"),
  version: z.number().int().positive(),
  /** When, at which commit of the project. */
  made: z.iso.datetime(),
  pos: z.number().int().nonnegative(),
});

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** Everything but log lines, which begin with their version. */
export const FileRecord = z.discriminatedUnion("is", [
  z.object({ is: z.literal("tree"), rootId: RootId, taskDocPath: z.string() }),
  z.object({ is: z.literal("section"), section: z.enum(SECTIONS), text: z.string() }),
  z.object({ is: z.literal("blob"), name: z.string(), bytes: z.number().int().nonnegative(), base64: z.base64() }),
  z.object({ is: z.literal("tree end"), rootId: RootId, events: z.number().int().positive(), sha256: Sha }),
  z.object({ is: z.literal("end"), trees: z.number().int().nonnegative(), sha256: Sha }),
]);
export type FileRecord = z.infer<typeof FileRecord>;
