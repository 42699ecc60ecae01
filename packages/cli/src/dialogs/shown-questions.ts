import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionView } from "@colloquy/library";
import type { ProjectAccess } from "../access/project-access.ts";
import { replaceFile } from "../project/replace-file.ts";

const fileIn = (dir: string): string => join(dir, ".dialogs", "shown");

/** The question versions that the person has seen here: an answer by number must not hit a changed question. */
export async function rememberShown({ dir }: ProjectAccess, questions: readonly QuestionView[]): Promise<void> {
  if (dir === undefined) return;
  try {
    const known = await read(dir);
    for (const { id, shown } of questions) known.set(id, shown);
    // The newest ones are enough: an unknown one isn't compared.
    const lines = [...known].slice(-MAX_QUESTIONS).map(([id, shown]) => `${id} ${shown}\n`);
    await replaceFile(fileIn(dir), lines.join(""));
  } catch {
    // An unwritable folder is reported by commands that must write there.
  }
}

const MAX_QUESTIONS = 1_000;

/** The version shown last, if any. */
export const lastShown = async ({ dir }: ProjectAccess, id: string): Promise<string | undefined> =>
  dir === undefined ? undefined : (await read(dir)).get(id);

async function read(dir: string): Promise<Map<string, string>> {
  const text = await readFile(fileIn(dir), "utf8").catch(() => "");
  return new Map(
    text.split("\n").flatMap((line): [string, string][] => {
      const [, id, shown] = /^([0-9a-f]{32}) (\S+)$/.exec(line) ?? [];
      return id !== undefined && shown !== undefined ? [[id, shown]] : [];
    }),
  );
}
