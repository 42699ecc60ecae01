import { Fault, PROJECT_STREAM, type StreamId, shortId } from "@colloquy/schema";
import { codeOf, type Disk } from "../disk/disk.ts";
import type { Layout } from "../disk/layout.ts";

export function full(disk: Disk, layout: Layout, cause: unknown): Fault {
  const bytes = disk.room(layout.dialogs);
  const left = bytes === undefined ? "" : ` (${bytes.toLocaleString("en")} bytes)`;
  const message = `No room on the disk${left}. Nothing new is accepted; what was accepted is safe. Free some space: work resumes by itself.`;
  return new Fault("log_full", "later", message, { cause });
}

export function notConfirmed(cause: unknown): Fault {
  const message =
    `The disk did not confirm a write (${reasonOf(cause)}). Whether the last change was kept is not known; nothing new is accepted. ` +
    "Look after the disk, then open the project again: all that was accepted before is safe.";
  return new Fault("log_unavailable", "never", message, { cause });
}

/** `place`: file and line, relative to the project. */
export function corrupt(stream: StreamId, place: string, cause?: unknown): Fault {
  const message =
    stream === PROJECT_STREAM
      ? `${place} cannot be read. No dialog can be created; existing ones continue. colloquy doctor shows and repairs it.`
      : `${place} cannot be read. Only this dialog is affected. colloquy doctor ${shortId(stream)} shows and repairs it.`;
  return new Fault("log_corrupt", "never", message, { cause });
}

/** `file`: relative to the project. For something that is not a file, may not be opened, or fails with a disk error. */
export function unreadable(stream: StreamId, file: string, cause: unknown): Fault {
  const denied = ["EACCES", "EPERM"].includes(codeOf(cause) ?? "") ? ` Allow it: chmod -R u+rwX ${file}.` : "";
  const message =
    stream === PROJECT_STREAM
      ? `${file} cannot be read (${reasonOf(cause)}).${denied} No dialog can be created; existing ones continue. colloquy doctor shows more.`
      : `${file} cannot be read (${reasonOf(cause)}).${denied} Only this dialog is affected. colloquy doctor ${shortId(stream)} shows and repairs it.`;
  return new Fault("log_corrupt", "never", message, { cause });
}

/** Does it concern only this file or its path, and not the whole disk? */
export const isOfOneFile = (error: unknown): boolean =>
  ["ENOENT", "EISDIR", "ENOTDIR", "ENOTEMPTY", "EEXIST", "EACCES", "EPERM", "ELOOP", "ENXIO"].includes(codeOf(error) ?? "");

/** A file that the whole store needs is something else: a folder, a pipe, a dangling link. */
export function oddFile(layout: Layout, cause: unknown): Fault {
  const { path } = cause as { readonly path?: unknown };
  const name = typeof path === "string" ? layout.name(path) : ".dialogs";
  const message = `${name} is not the file that should be there (${reasonOf(cause)}). Move it away (mv ${name} ${name}.old), then try again: it is made anew.`;
  return new Fault("log_unavailable", "never", message, { cause });
}

export const newer = (place: string, version: number): Fault =>
  new Fault(
    "log_corrupt",
    "never",
    `${place} was written by a newer Colloquy (format ${version}). Nothing is damaged. Update Colloquy: npm install --global colloquy@latest`,
  );

export const readonly = (path: string, cause: unknown): Fault =>
  new Fault(
    "store_readonly",
    "never",
    `${path} cannot be written to (${reasonOf(cause)}), and a dialog is kept there before anyone relies on it. Allow it (chmod -R u+w ${path}), or copy the project to where you may write.`,
    { cause },
  );

export const noRoomToOpen = (path: string, cause: unknown): Fault =>
  new Fault("log_full", "later", `No room on the disk to open ${path}. What was accepted is safe. Free some space, then try again.`, {
    cause,
  });

export const isReadonly = (error: unknown): boolean => ["EROFS", "EACCES", "EPERM"].includes(codeOf(error) ?? "");

const reasonOf = (cause: unknown): string => codeOf(cause) ?? (cause instanceof Error ? cause.message : String(cause));
