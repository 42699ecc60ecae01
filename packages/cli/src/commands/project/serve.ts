import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand } from "../../line/command.ts";
import { knownProjects } from "../../access/known-projects.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { portOf, serveUntilInterrupted } from "../../access/serving.ts";
import type { Shell } from "../../line/shell.ts";

export const serve = defineCommand({
  words: ["[DIR…]"],
  options: {
    port: { takes: "N", about: "the port (default: server.port in colloquy.yaml, 5740)" },
    host: { takes: "HOST", about: "the address to listen on (default: this machine only)" },
    store: { takes: "URL", about: "where the truth is kept", notBuiltYet: true },
  },
  about:
    "Serves this project, those in the folders given, or outside of a project those of your list (colloquy projects): the API and the web app. It prints a link that opens the page with your rights; " +
    "keep it to yourself. It works until it is stopped with Ctrl-C, and drives every dialog meanwhile.",
  examples: [
    ["colloquy serve", ""],
    ["colloquy serve ~/shop ~/blog --port 8080", "two projects at once"],
  ],

  async run(call) {
    const { values, words, shell } = call;
    const place = { dirs: await dirsOf(call.dir, words, shell), port: portOf(values.port), host: values.host };
    return serveUntilInterrupted(call, place, ({ url, link }) => `Serving at ${url}\nOpen ${link}\n`);
  },
});

/** The folders given, else the project here, else the person's list. */
async function dirsOf(here: string, words: readonly string[], shell: Shell): Promise<readonly string[]> {
  if (words.length > 0) return Promise.all(words.map((word) => projectDir({ dir: resolve(here, word), shell, server: undefined })));
  const { findProject } = await library();
  const found = findProject(here);
  const known = knownProjects(shell.env).filter((dir) => existsSync(dir));
  if (found === undefined && known.length > 0) return known;
  return [await projectDir({ dir: here, shell, server: undefined })];
}
