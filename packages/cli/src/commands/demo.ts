import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Project } from "@colloquy/library";
import { type Call, defineCommand } from "../command.ts";
import { Driving } from "../driving.ts";
import { ExitCode } from "../exit-code.ts";
import { refused } from "../failure.ts";
import { shortId } from "../ids.ts";
import { rememberDialog } from "../last-dialog.ts";
import { writeNewFiles } from "../new-files.ts";
import { print, printJson } from "../output.ts";
import { pathFrom } from "../paths.ts";
import { withProjectIn } from "../session.ts";
import { demoFiles, demoLetter, demoMessage, slowMessage } from "../templates/demo.ts";

export const demo = defineCommand({
  words: ["[DIR]"],
  options: { play: { about: "play it here and now" } },
  about:
    "Makes a project with a team of one that needs no key: its model is scripts/demo.yaml, which you can read and change. " +
    "DIR is ./colloquy-demo when you name none; a demo that is there already is used again.",
  examples: [
    ["colloquy demo --play", "watch it work, then look at what it left on disk"],
    ["colloquy demo shop", "make it in ./shop and look around"],
  ],

  async run(call) {
    const { shell, values, words } = call;
    const isClone = existsSync(join(call.dir, "packages/cli/src/main.ts"));
    const dir = resolve(call.dir, words[0] ?? (isClone ? "demo" : "colloquy-demo"));
    const isNew = await makeDemo(dir);
    const shown = pathFrom(shell.cwd, dir, shell.env);
    // In a clone the command is not on the path.
    const colloquy = `${isClone ? "npx colloquy" : "colloquy"} -C ${shown}`;
    if (!values.play) {
      print(call, { dir, isNew }, () => readyText(shown, colloquy, isNew));
      return ExitCode.done;
    }
    return withProjectIn(dir, call, (project) => play(call, project, shown, colloquy), "touched");
  },
});

async function makeDemo(dir: string): Promise<boolean> {
  if (existsSync(join(dir, "colloquy.yaml"))) {
    if (existsSync(join(dir, "scripts/demo.yaml"))) return false;
    throw refused("exists_already", `${dir} holds a project of its own. Give the demo another folder: colloquy demo DIR`);
  }
  await writeNewFiles(dir, demoFiles);
  return true;
}

const readyText = (
  shown: string,
  colloquy: string,
  isNew: boolean,
): string => `${isNew ? "A demo is ready" : "The demo is still there"} in ${shown}. No key needed.

  ${colloquy} new "${demoMessage}"
  ${colloquy} show @
  ${colloquy} agents

Its lines are in ${join(shown, "scripts/demo.yaml")}: change them and see what happens.
`;

async function play(call: Call, project: Project, shown: string, colloquy: string): Promise<ExitCode> {
  const { shell, json } = call;
  const { out } = shell;
  const { bold, dim } = out.colours;
  if (!json)
    out.write(
      `${dim(`A team of one in ${shown}. No key, no network: its lines are in scripts/demo.yaml.`)}\n\n${bold("you")}    ${demoMessage}\n`,
    );
  const driving = new Driving({ shell, json: false }, project, {}, json ? undefined : out);
  const dialog = await project.createDialog({ content: demoMessage });
  await rememberDialog(project.dir, dialog.id);
  const code = await driving.finish(dialog.id, {});
  if (json) printJson(call, { dir: project.dir, rootId: dialog.id, answer: await project.lastWords(dialog.id) });
  else if (code === ExitCode.done) out.write(lookText(dialog.id, shown, colloquy, out.colours));
  return code;
}

type Colours = Call["shell"]["out"]["colours"];

function lookText(rootId: string, shown: string, colloquy: string, { bold, dim }: Colours): string {
  const rows = (pairs: readonly (readonly [string, string])[]) => {
    const width = Math.max(...pairs.map(([left]) => left.length));
    return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${dim(right)}`.trimEnd()).join("\n");
  };
  const folder = join(shown, ".dialogs/run", rootId);
  const pid = `$(node -p 'JSON.parse(fs.readFileSync("${join(shown, ".dialogs/lock")}")).pid')`;
  return `
${bold("What it left on disk")}
${rows([
  [join(shown, demoLetter), "the letter"],
  [join(folder, "course-001.jsonl"), "the log: every word and call"],
])}

${bold("Look at it")}
${rows([
  [`${colloquy} ls`, "all dialogs"],
  [`${colloquy} show ${shortId(rootId)}`, "this one (@ stands for the last)"],
  [`${colloquy} log @`, "every event"],
])}

${bold("Try the hard part: kill it in the middle, then let it go on")}
${rows([
  [`${colloquy} new "${slowMessage}"`, ""],
  [`kill -9 ${pid}`, "in a second terminal"],
  [`${colloquy} resume @`, ""],
])}
`;
}
