import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { Fault, Script } from "@colloquy/schema";
import { readYaml } from "./yaml-lines.ts";

/** Reads a script. `shown` is the file's name in messages. Throws `model_unknown` with the wrong lines. */
export async function loadScript(path: string, shown: string = path): Promise<Script> {
  const text = await textOf(path).catch((error: Error) => {
    throw new Fault("model_unknown", "never", `${shown} cannot be read: ${error.message}`);
  });
  const read = await readYaml(text, shown, Script);
  const problems = read.ok ? wrongPatterns(read.value).map(({ at, why }) => `${read.where(["rules", at, "when"])}: ${why}`) : read.problems;
  if (read.ok && problems.length === 0) return read.value;
  throw new Fault("model_unknown", "never", problems.join("\n"));
}

/** Far larger than any real script. */
const MAX_BYTES = 5_000_000;

/** Regular files only: opening a pipe would block for ever. */
async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("it is not a file");
    if (stat.size > MAX_BYTES) throw new Error(`it has ${stat.size} bytes; ${MAX_BYTES} are allowed`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** An invalid pattern would only show when its rule is tried. */
function wrongPatterns(script: Script): readonly { readonly at: number; readonly why: string }[] {
  return script.rules.flatMap(({ when }, at) =>
    [when?.text ?? [], when?.seen ?? []].flat().flatMap((wanted) => {
      const [, pattern, flags] = /^\/(.+)\/([a-z]*)$/s.exec(wanted) ?? [];
      try {
        if (pattern !== undefined) new RegExp(pattern, flags);
        return [];
      } catch (error) {
        return [{ at, why: `${wanted} is no pattern: ${(error as Error).message}` }];
      }
    }),
  );
}
