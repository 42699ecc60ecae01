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
import { demoLetter, type DemoStory } from "../../templates/demo-story.ts";
import { type DemoTexts, demoTexts } from "../../templates/demo-texts.ts";
import { demos } from "../../templates/demo.ts";
import { type Language, languageOf } from "../../line/language.ts";
import { cardText } from "../../terminal/question-card.ts";
import { treeText } from "../../terminal/tree-picture.ts";
import { plainWidth, wrapPlain } from "../../terminal/wrap-plain.ts";

export const demo = defineCommand({
  words: ["[DIR]"],
  options: {
    play: { about: { en: "play it here and now", zh: "就在此处立即演示" } },
    serve: { about: { en: "put the team to work and serve the page, until Ctrl-C", zh: "让团队开始工作并提供页面，按 Ctrl-C 结束" } },
    port: { takes: "N", about: { en: "with --serve: the port", zh: "与 --serve 合用：端口" } },
    yes: { short: "y", about: { en: "take the recommended choice instead of asking you", zh: "采用推荐的选项，不再询问" } },
  },
  about: {
    en:
      "Creates a project with a team of three that needs no key: its model is scripts/demo.yaml, which you can read and change. With " +
      "--play the team goes to work, and asks you something on the way; with --serve it does so on a page in your browser. DIR defaults to ./colloquy-demo; an existing demo " +
      "is reused.",
    zh: "创建一个由三个智能体组成、无须密钥的项目：模型就是 scripts/demo.yaml，可以阅读和修改。加 --play 则团队立即开始工作，途中会向你提问；加 --serve 则在浏览器页面中进行。DIR 默认为 ./colloquy-demo；已有的演示会沿用。",
  },
  examples: [
    [
      "colloquy demo --play",
      { en: "watch it work, decide, then look at what it left on disk", zh: "看它工作，作出决定，再看它在磁盘上留下了什么" },
    ],
    ["colloquy demo --serve", { en: "the same in the browser", zh: "同样的演示，在浏览器中" }],
    ["colloquy demo shop", { en: "make it in ./shop and look around", zh: "建在 ./shop 中，四处看看" }],
  ],

  async run(call) {
    const { shell, values, words } = call;
    const language = languageOf(shell.env);
    const story = demos[language];
    const texts = demoTexts[language];
    const isClone = existsSync(join(call.dir, "packages/cli/src/main.ts"));
    const dir = resolve(call.dir, words[0] ?? (isClone ? "demo" : "colloquy-demo"));
    const isFresh = isFreshFolder(dir);
    const isNew = await makeDemo(dir, story);
    if (isNew && isFresh) await trustNewFolder(dir, shell);
    const shown = pathFrom(shell.cwd, dir, shell.env);
    // In a clone the command is not on the path.
    const colloquy = `${isClone ? "npx colloquy" : "colloquy"} -C ${shown}`;
    if (values.serve) {
      const place = { dirs: [dir], port: portOf(values.port), host: undefined };
      return serveUntilInterrupted(call, place, async (serving) => {
        for (const project of serving.projects) await putToWork(project, story.message);
        return texts.served(
          serving.link,
          `kill -9 ${process.pid}`,
          isClone ? "npm start" : `colloquy demo ${shown} --serve`,
          colloquy.replace(/ -C .*/, ` demo ${shown} --play`),
        );
      });
    }
    if (!values.play) {
      print(call, { dir, isNew }, () => readyText(texts, story, { shown, colloquy, isNew }));
      return ExitCode.done;
    }
    return withProjectIn(
      dir,
      call,
      (project) => new Play(call, project, { takesRecommended: values.yes ?? false, shown, colloquy, language }).run(),
      "touched",
    );
  },
});

async function makeDemo(dir: string, { files }: DemoStory): Promise<boolean> {
  if (existsSync(join(dir, "colloquy.yaml"))) {
    if (existsSync(join(dir, "scripts/demo.yaml"))) return false;
    throw refused("exists_already", `${dir} already holds a project. Give the demo another folder: colloquy demo DIR`);
  }
  await writeNewFiles(dir, files);
  return true;
}

const readyText = (
  texts: DemoTexts,
  { message }: DemoStory,
  { shown, colloquy, isNew }: { readonly shown: string; readonly colloquy: string; readonly isNew: boolean },
): string => `${texts.ready(shown, isNew)}

  ${colloquy} new "${message}"
  ${colloquy} questions
  ${colloquy} answer @
  ${colloquy} tree @

${texts.itsLines(join(shown, "scripts/demo.yaml"))}
`;

/** Starts the story unless one is running; after a crash it continues by itself. `@` refers to it. */
async function putToWork(project: Project, content: string): Promise<void> {
  const underWay = project.dialogs.list({ status: "running" }).find(({ state }) => state !== "idle");
  const id = underWay?.rootId ?? (await project.dialogs.create({ content })).id;
  await rememberDialog(project.dir, id);
}

interface PlayOptions {
  readonly takesRecommended: boolean;
  /** The demo's folder and the command, as the person would type them. */
  readonly shown: string;
  readonly colloquy: string;
  readonly language: Language;
}

/** Plays the demo once: the team works, the person decides, the team finishes. */
class Play {
  readonly #call: Pick<Call, "shell" | "json">;
  readonly #project: ProjectAccess;
  readonly #takesRecommended: boolean;
  readonly #shown: string;
  readonly #colloquy: string;
  readonly #message: string;
  readonly #texts: DemoTexts;

  constructor(call: Pick<Call, "shell" | "json">, project: ProjectAccess, { takesRecommended, shown, colloquy, language }: PlayOptions) {
    this.#call = call;
    this.#project = project;
    this.#takesRecommended = takesRecommended || !call.shell.canAsk || call.json;
    this.#shown = shown;
    this.#colloquy = colloquy;
    this.#message = demos[language].message;
    this.#texts = demoTexts[language];
  }

  async run(): Promise<ExitCode> {
    const { shell, json } = this.#call;
    const { bold, dim } = shell.out.colours;
    const intro = wrapPlain(this.#texts.intro(this.#shown), shell.out.columns);
    this.#write(`${dim(intro)}\n\n${bold(this.#texts.you)}${this.#message}\n`);
    let driving = this.#driving();
    const dialog = await this.#project.createDialog({ content: this.#message });
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
      this.#write(shell.out.colours.dim(`${this.#texts.nobodyAsked(nth + 1, question.options[nth]?.label ?? "")}\n\n`));
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
    tell(this.#call, this.#texts.left(`${this.#colloquy} resume ${shortId(rootId)}`));
    return ExitCode.interrupted;
  }

  #leaveOpen({ id }: QuestionView): ExitCode {
    tell(this.#call, this.#texts.leftOpen(`${this.#colloquy} answer ${shortId(id)}`));
    return ExitCode.waiting;
  }

  async #lookText({ rootId }: DialogAddress): Promise<string> {
    const { out, now } = this.#call.shell;
    const { bold, dim } = out.colours;
    const rows = (pairs: readonly (readonly [string, string])[]) => {
      const width = Math.max(...pairs.map(([left]) => left.length));
      const isWide = pairs.every(([, right]) => width + plainWidth(right) + 4 <= out.columns);
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
${bold(this.#texts.onDisk)}
${rows([
  [join(this.#shown, demoLetter), this.#texts.letter],
  [join(folder, "course-001.jsonl"), this.#texts.log],
])}

${bold(this.#texts.look)}
${rows([
  [`${this.#colloquy} show ${shortId(rootId)}`, this.#texts.thisDialog],
  [`${this.#colloquy} log @`, this.#texts.everyEvent],
  [`${this.#colloquy} watch`, this.#texts.live],
])}

${bold(this.#texts.hardPart)}
${rows([
  [play, this.#texts.again],
  [`kill -9 ${pid}`, this.#texts.secondTerminal],
  [`${this.#colloquy} answer @ --choice 2`, this.#texts.otherEnd],
])}
`;
  }
}
