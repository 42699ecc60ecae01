import type { QuestionView } from "@colloquy/library";
import { chatAnswer } from "./chat-answer.ts";
import type { Call } from "../line/command.ts";
import { resumeOne } from "../commands/dialogs/resume.ts";
import type { ProjectAccess, Receipt } from "../access/project-access.ts";
import { Driving, goOnText } from "../access/driving.ts";
import { ExitCode } from "../line/exit-code.ts";
import { failureOf } from "../line/failure.ts";
import { mainOf, type DialogAddress, shortId } from "./ids.ts";
import { cardOf, openIn } from "./inbox.ts";
import { rememberDialog } from "./last-dialog.ts";
import { outcomeOf } from "../line/outcome.ts";
import { rememberShown } from "./shown-questions.ts";
import { cardText, inboxText } from "../terminal/question-card.ts";
import type { LineInput } from "../terminal/line-input.ts";

/** A line typed within this time of the card appearing was meant for something else. */
const CALM_MS = 400;

const HELP = `A line is a message; below a question it is the answer:
a number, or your own words.
/questions  open questions                /stop    stop the dialog
/back TEXT  ask about the question        /resume  resume it
/later      leave the question open       /quit    leave; nothing is lost
`;

/** The dialog to continue, or the agent to start one with. */
interface ChatStart {
  readonly place?: DialogAddress | undefined;
  readonly agent?: string | undefined;
}

/** A conversation: lines are messages; below a question they answer it. */
export class ChatSession {
  readonly #call: Pick<Call, "shell">;
  readonly #project: ProjectAccess;
  readonly #input: LineInput;
  readonly #agent: string | undefined;
  #place: DialogAddress | undefined;
  #work: Promise<void> | undefined;
  /** The question above the prompt, and since when. */
  #asked: { readonly question: QuestionView; readonly at: number } | undefined;
  /** Questions that the person postponed. */
  readonly #later = new Set<string>();
  #code: ExitCode = ExitCode.done;
  #hasLeft = false;

  constructor(call: Pick<Call, "shell">, project: ProjectAccess, input: LineInput, { place, agent }: ChatStart) {
    this.#call = call;
    this.#project = project;
    this.#input = input;
    this.#place = place;
    this.#agent = agent;
  }

  /** Until `/quit`, the end of input, or Ctrl-C. */
  async run(): Promise<ExitCode> {
    const { signal } = this.#call.shell.interrupts;
    let wasAtWork = false;
    signal.addEventListener(
      "abort",
      () => {
        wasAtWork = this.#work !== undefined;
        this.#input.close();
      },
      { once: true },
    );
    if (this.#place) await this.#stand();
    this.#prompt();
    for await (const line of this.#input.lines) {
      if (signal.aborted || (await this.#take(line)) === "quit") break;
      // In a pipe all lines arrive at once: each is handled after the previous one has taken effect.
      if (!this.#input.isTerminal) await this.#work;
      this.#prompt();
    }
    this.#input.close();
    this.#hasLeft = true;
    if (signal.aborted) return wasAtWork ? this.#leave(ExitCode.interrupted) : ExitCode.interrupted;
    return this.#work && this.#input.isTerminal ? this.#leave(ExitCode.done) : this.#code;
  }

  async #take(line: string): Promise<"quit" | undefined> {
    try {
      const [, command, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
      if (command !== undefined) return await this.#command(command, rest);
      if (line.trim() === "") return undefined;
      if (this.#asked && this.#isCalm(this.#asked.at)) await this.#answer(this.#asked.question, line);
      else await this.#say(line);
    } catch (error) {
      // A refusal is printed, and the conversation continues.
      this.#write(`${failureOf(error).message}\n`);
      this.#code = failureOf(error).exitCode;
      if (!this.#work && this.#place) await this.#stand();
    }
    return undefined;
  }

  #isCalm = (at: number): boolean => !this.#input.isTerminal || this.#call.shell.now() - at >= CALM_MS;

  async #command(name: string, rest: string): Promise<"quit" | undefined> {
    const place = this.#place;
    switch (name) {
      case "quit":
      case "q":
      case "exit":
        return "quit";
      case "questions":
        this.#later.clear();
        await this.#list();
        if (place && !this.#work) await this.#stand();
        return undefined;
      case "later":
        if (this.#asked) this.#later.add(this.#asked.question.id);
        this.#asked = undefined;
        return undefined;
      case "back":
        if (!this.#asked || rest.trim() === "") this.#write("/back TEXT asks about the question that is shown.\n");
        else await this.#do(() => this.#project.askBack(this.#asked?.question.id as QuestionView["id"], rest));
        return undefined;
      case "stop":
        if (!place) return undefined;
        await this.#project.stop(place, { tree: true });
        this.#write(`■ ${shortId(place.selfId)} is stopped. /resume continues it.\n`);
        return undefined;
      case "resume":
        if (place) await this.#do(() => resumeOne(this.#project, place));
        return undefined;
      default:
        this.#write(HELP);
        return undefined;
    }
  }

  async #say(content: string): Promise<void> {
    const place = this.#place;
    if (place) return this.#do(() => this.#project.send(place, { content }));
    await this.#do(async () => {
      const dialog = await this.#project.createDialog({ content, ...(this.#agent !== undefined && { agent: this.#agent }) });
      this.#place = mainOf(dialog.id);
      await rememberDialog(this.#project.dir, dialog.id);
      return { seq: dialog.seq };
    });
  }

  async #answer(question: QuestionView, line: string): Promise<void> {
    const answer = chatAnswer(question, line);
    if ("hint" in answer) this.#write(`${answer.hint}\n`);
    else await this.#do(() => answer.decide(this.#project));
  }

  /** Runs an action that gives the tree work, and shows that work until everything is quiet. */
  async #do(act: () => Promise<Receipt>): Promise<void> {
    const { shell } = this.#call;
    const driving = this.#work ? undefined : new Driving({ shell, json: false }, this.#project, {}, shell.out);
    try {
      const { seq } = await act();
      this.#asked = undefined;
      if (driving && this.#place) this.#work = this.#watch(driving, this.#place, seq).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      driving?.end();
      throw error;
    }
  }

  async #watch(driving: Driving, { rootId }: DialogAddress, seq: number): Promise<void> {
    const left = await driving.untilQuiet([{ rootId, seq }]);
    driving.end();
    this.#work = undefined;
    if (left !== undefined || this.#hasLeft) return;
    await this.#stand();
    this.#prompt();
  }

  /** After the person has left, later errors aren't shown: the project is closed under the work. */
  #failed(error: unknown): void {
    this.#work = undefined;
    if (!this.#hasLeft) this.#write(`${failureOf(error).message}\n`);
  }

  /** The state now that nothing is running: the open question, or why nothing happens. */
  async #stand(): Promise<void> {
    const place = this.#place;
    if (!place) return;
    const { stopped } = await outcomeOf(this.#project, place);
    const open = (await openIn(this.#project, place.rootId)).filter(({ kind }) => kind !== "fault");
    this.#code = stopped !== undefined ? ExitCode.refused : open.length > 0 ? ExitCode.waiting : ExitCode.done;
    if (stopped !== undefined) this.#write(`${stopped}\n`);
    const question = open.find(({ id }) => !this.#later.has(id));
    this.#asked = question && { question, at: this.#call.shell.now() };
    if (!question) return;
    const { out, now } = this.#call.shell;
    this.#write(cardText(out, await cardOf(this.#project, question), now(), false));
    if (this.#input.isTerminal)
      this.#write(
        out.colours.dim(
          `${question.kind === "approval" ? "approve, or deny and why" : question.options.length > 0 ? "a number, or your own words" : "your answer"}; /back TEXT asks about it, /later leaves it\n`,
        ),
      );
    await rememberShown(this.#project, [question]);
  }

  async #list(): Promise<void> {
    const { out, now } = this.#call.shell;
    const found = await this.#project.questions();
    this.#write(
      found.length === 0
        ? "Nothing is waiting for you.\n"
        : inboxText(out, await Promise.all(found.map((one) => cardOf(this.#project, one))), now()),
    );
  }

  #prompt(): void {
    if (!this.#work) this.#input.prompt(this.#asked ? `answer ${shortId(this.#asked.question.id)} › ` : "you › ");
  }

  #write(text: string): void {
    this.#call.shell.out.write(text);
  }

  #leave(code: ExitCode): ExitCode {
    if (this.#place) this.#call.shell.err.write(`Left in the middle. ${goOnText(this.#project, `chat ${shortId(this.#place.selfId)}`)}\n`);
    return code;
  }
}
