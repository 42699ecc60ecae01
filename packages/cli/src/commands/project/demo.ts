import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Project, QuestionView } from "@colloquy/library";
import { askHistory } from "../../dialogs/ask-history.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { Driving } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused } from "../../line/failure.ts";
import { mainOf, type DialogAddress, shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { rememberDialog } from "../../dialogs/last-dialog.ts";
import { writeNewFiles } from "../../project/new-files.ts";
import { outcomeOf } from "../../line/outcome.ts";
import { print, printJson, tell } from "../../line/output.ts";
import { pathFrom } from "../../access/paths.ts";
import { portOf, serveUntilInterrupted } from "../../access/serving.ts";
import { withProjectIn } from "../../dialogs/session.ts";
import { isFreshFolder, trustNewFolder } from "../../access/trust.ts";
import { demoFiles, demoLetter, demoMessage } from "../../templates/demo.ts";
import { cardText } from "../../terminal/question-card.ts";
import { treeText } from "../../terminal/tree-picture.ts";
import { wrapPlain } from "../../terminal/wrap-plain.ts";

export const demo = defineCommand({
  words: ["[DIR]"],
  options: {
    play: { about: "play it here and now" },
    serve: { about: "put the team to work and serve the page, until Ctrl-C" },
    port: { takes: "N", about: "with --serve: the port" },
    yes: { short: "y", about: "take the recommended choice instead of asking you" },
  },
  about:
    "Makes a project with a team of three that needs no key: its model is scripts/demo.yaml, which you can read and change. With " +
    "--play the team goes to work, and asks you something on the way; with --serve it does so on a page in your browser. DIR is ./colloquy-demo when you name none; a demo that is there " +
    "already is used again.",
  examples: [
    ["colloquy demo --play", "watch it work, decide, then look at what it left on disk"],
    ["colloquy demo --serve", "the same in the browser"],
    ["colloquy demo shop", "make it in ./shop and look around"],
  ],

  async run(call) {
    const { shell, values, words } = call;
    const isClone = existsSync(join(call.dir, "packages/cli/src/main.ts"));
    const dir = resolve(call.dir, words[0] ?? (isClone ? "demo" : "colloquy-demo"));
    const isFresh = isFreshFolder(dir);
    const isNew = await makeDemo(dir);
    if (isNew && isFresh) await trustNewFolder(dir, shell);
    const shown = pathFrom(shell.cwd, dir, shell.env);
    // In a clone the command is not on the path.
    const colloquy = `${isClone ? "npx colloquy" : "colloquy"} -C ${shown}`;
    if (values.serve) {
      const place = { dirs: [dir], port: portOf(values.port), host: undefined };
      return serveUntilInterrupted(call, place, async (serving) => {
        for (const project of serving.projects) await putToWork(project);
        return servedText(
          serving.link,
          isClone ? "npm start" : `colloquy demo ${shown} --serve`,
          colloquy.replace(/ -C .*/, ` demo ${shown} --play`),
        );
      });
    }
    if (!values.play) {
      print(call, { dir, isNew }, () => readyText(shown, colloquy, isNew));
      return ExitCode.done;
    }
    return withProjectIn(dir, call, (project) => new Play(call, project, values.yes ?? false, shown, colloquy).run(), "touched");
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
  ${colloquy} questions
  ${colloquy} answer @
  ${colloquy} tree @

Its lines are in ${join(shown, "scripts/demo.yaml")}: change them and see what happens.
`;

/** Begins the story, unless one is under way: after a crash it goes on by itself. */
async function putToWork(project: Project): Promise<void> {
  const isUnderWay = project.dialogs.list({ status: "running" }).some(({ state }) => state !== "resting");
  if (!isUnderWay) await project.dialogs.create({ content: demoMessage });
}

const servedText = (link: string, again: string, play: string): string => `
Open ${link}

A team of three is at work there. Within seconds it asks you something, and what you choose decides how it ends.

Try the hard part: kill it while it works or waits, start it again, and look at the page: it goes on.
  kill -9 ${process.pid}
  ${again}

In the terminal instead: ${play}
`;

/** One performance: the team works, the person decides, it comes together. */
class Play {
  readonly #call: Pick<Call, "shell" | "json">;
  readonly #project: ProjectAccess;
  readonly #takesRecommended: boolean;
  readonly #shown: string;
  readonly #colloquy: string;

  constructor(call: Pick<Call, "shell" | "json">, project: ProjectAccess, yes: boolean, shown: string, colloquy: string) {
    this.#call = call;
    this.#project = project;
    this.#takesRecommended = yes || !call.shell.canAsk || call.json;
    this.#shown = shown;
    this.#colloquy = colloquy;
  }

  async run(): Promise<ExitCode> {
    const { shell, json } = this.#call;
    const { bold, dim } = shell.out.colours;
    const intro = wrapPlain(
      `A team of three in ${this.#shown}. No key, no network: their lines are in scripts/demo.yaml.`,
      shell.out.columns,
    );
    this.#write(`${dim(intro)}\n\n${bold("you")}     ${demoMessage}\n`);
    let driving = this.#driving();
    const dialog = await this.#project.createDialog({ content: demoMessage });
    await rememberDialog(this.#project.dir, dialog.id);
    const place = mainOf(dialog.id);
    for (let seq = dialog.seq; ; driving = this.#driving()) {
      const left = await driving.untilQuiet([{ rootId: place.rootId, seq }]);
      driving.end();
      if (left) return this.#leave(place);
      const { questions, stopped } = await outcomeOf(this.#project, place);
      if (stopped !== undefined) {
        tell(this.#call, stopped);
        return ExitCode.refused;
      }
      const [question] = questions;
      if (!question) break;
      const answered = await this.#decide(question);
      if (answered === undefined) return this.#leaveOpen(question);
      seq = answered;
    }
    if (json) printJson(this.#call, { dir: this.#project.dir, rootId: place.rootId, answer: await this.#project.lastWords(place.rootId) });
    else this.#write(await this.#lookText(place));
    return ExitCode.done;
  }

  #driving(): Driving {
    const { shell, json } = this.#call;
    return new Driving({ shell, json: false }, this.#project, {}, json ? undefined : shell.out);
  }

  /** Shows the question and takes the person's choice, or the recommended one. Undefined: not now. */
  async #decide(question: QuestionView): Promise<number | undefined> {
    const { shell } = this.#call;
    this.#write(`\n${cardText(shell.out, await cardOf(this.#project, question), shell.now(), false)}`);
    if (this.#takesRecommended) {
      const nth = Math.max(
        0,
        question.options.findIndex((option) => option.recommended),
      );
      this.#write(shell.out.colours.dim(`(Nobody is asked here: taking ${nth + 1}, ${question.options[nth]?.label}.)\n\n`));
      return (await this.#project.answer(question.id, { choice: [nth], shown: question.shown })).seq;
    }
    const { askForAnswer } = await import("../../dialogs/ask-for-answer.ts");
    const given = await askForAnswer(question);
    if (!given) return undefined;
    this.#write("\n");
    return (await this.#project.answer(question.id, { ...given, shown: question.shown })).seq;
  }

  #write(text: string): void {
    if (!this.#call.json) this.#call.shell.out.write(text);
  }

  #leave({ rootId }: DialogAddress): ExitCode {
    tell(this.#call, `Left in the middle. Nothing was lost. Continue: ${this.#colloquy} resume ${shortId(rootId)}`);
    return ExitCode.interrupted;
  }

  #leaveOpen({ id }: QuestionView): ExitCode {
    tell(this.#call, `It waits, for weeks if it must, and no process has to run. Continue: ${this.#colloquy} answer ${shortId(id)}`);
    return ExitCode.waiting;
  }

  async #lookText({ rootId }: DialogAddress): Promise<string> {
    const { out, now } = this.#call.shell;
    const { bold, dim } = out.colours;
    const rows = (pairs: readonly (readonly [string, string])[]) => {
      const width = Math.max(...pairs.map(([left]) => left.length));
      const isWide = pairs.every(([, right]) => width + right.length + 4 <= out.columns);
      return pairs
        .map(([left, right]) => (isWide ? `  ${left.padEnd(width)}  ${dim(right)}`.trimEnd() : `  ${left}\n      ${dim(right)}`))
        .join("\n");
    };
    const picture = {
      node: await this.#project.tree(rootId),
      asks: askHistory(await this.#project.events(rootId)),
      isDriven: false,
      nowMs: now(),
      all: true,
    };
    const folder = join(this.#shown, ".dialogs/run", rootId);
    const pid = `$(node -p 'JSON.parse(fs.readFileSync("${join(this.#shown, ".dialogs/lock")}")).pid')`;
    const play = this.#colloquy.replace(/ -C .*/, " demo --play");
    return `
${bold(`${this.#colloquy} tree @`)}
${treeText(out, picture)}
${bold("What it left on disk")}
${rows([
  [join(this.#shown, demoLetter), "the letter"],
  [join(folder, "course-001.jsonl"), "the log: every word, call and answer"],
])}

${bold("Look at it")}
${rows([
  [`${this.#colloquy} show ${shortId(rootId)}`, "this dialog (@ stands for the last)"],
  [`${this.#colloquy} log @`, "every event"],
  [`${this.#colloquy} watch`, "everything, live"],
])}

${bold("Try the hard part: kill it while the question is open, then answer")}
${rows([
  [play, "again, until it asks you"],
  [`kill -9 ${pid}`, "in a second terminal"],
  [`${this.#colloquy} answer @ --choice 2`, "continue to a different end"],
])}
`;
  }
}
