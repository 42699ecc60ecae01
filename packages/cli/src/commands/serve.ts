import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { ExitCode } from "../exit-code.ts";
import { wrongUsage } from "../failure.ts";
import { printJson } from "../output.ts";
import { knownProjects } from "../known-projects.ts";
import { library, projectDir } from "../session.ts";
import type { Shell } from "../shell.ts";
import { version } from "../version.ts";

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
    const port = portOf(values.port);
    const dirs = await dirsOf(call.dir, words, shell);
    const server = await import("@colloquy/server");
    const letGo = shell.interrupts.hold();
    try {
      const serving = await server.serve({
        dirs,
        port,
        host: values.host,
        version: version(),
        env: shell.env,
        report: (message) => shell.err.write(`${message}\n`),
      });
      for (const project of serving.projects) for (const notice of project.notices()) shell.err.write(`${notice}\n`);
      if (call.json) printJson(call, { url: serving.url, link: serving.link });
      else shell.out.write(`Serving at ${serving.url}\nOpen ${serving.link}\n`);
      await interrupted(shell.interrupts.signal);
      shell.err.write("Stopping: what runs gets a moment to end.\n");
      await serving.close();
      return ExitCode.done;
    } finally {
      letGo();
    }
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

function portOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const port = Number(typed);
  if (!/^\d{1,5}$/.test(typed) || port > 65_535) throw wrongUsage(`--port takes a number from 0 to 65535, not "${typed}".`);
  return port;
}

const interrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
