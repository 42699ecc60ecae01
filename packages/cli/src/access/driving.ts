import type { Line, LiveEvent, TreeEvent } from "@colloquy/library";
import type { Call } from "../line/command.ts";
import type { ProjectAccess, Since } from "./project-access.ts";
import { ExitCode } from "../line/exit-code.ts";
import { wrongUsage } from "../line/failure.ts";
import { type DialogAddress, shortId } from "../dialogs/ids.ts";
import { cardOf } from "../dialogs/inbox.ts";
import { type Outcome, outcomeOf } from "../line/outcome.ts";
import { printJson, tell } from "../line/output.ts";
import { rememberShown } from "../dialogs/shown-questions.ts";
import { LiveView } from "../terminal/live-view.ts";
import { cardText } from "../terminal/question-card.ts";
import type { Screen } from "../terminal/screen.ts";
import { readDuration } from "@colloquy/schema";
import { span } from "../terminal/time.ts";
import { visible } from "../terminal/visible.ts";

/** Options of every command that sets a dialog to work. */
export const drivingOptions = {
  wait: { about: { en: "print the answer on standard output, all else on standard error", zh: "答复打印到标准输出，其余打印到标准错误" } },
  timeout: { takes: "TIME", about: { en: "leave after 30s, 5m or 2h; resume later", zh: "30s、5m 或 2h 之后离开；之后用 resume 继续" } },
} as const;

export interface Waiting {
  readonly wait?: boolean;
  readonly timeout?: string;
}

/** Warnings about the project's settings, shown before anything costs money. */
export function tellNotices(call: Pick<Call, "shell">, project: ProjectAccess): void {
  for (const notice of project.notices) tell(call, notice);
}

type Output = Pick<Call, "shell" | "json">;

/** A command's outcome, for programs. */
interface Accepted {
  readonly seq: number;
  readonly ack?: string;
  readonly question?: string;
  readonly dead?: string;
}

/** Shows trees while they are driven, and reports how that ended. */
export class Driving {
  readonly #call: Output;
  readonly #project: ProjectAccess;
  readonly #waiting: Waiting;
  readonly #timeoutMs: number | undefined;
  readonly #view: LiveView | undefined;
  readonly #stopListening: () => void;
  /** Output that arrived before the dialog's id was printed. */
  #early: LiveEvent[] | undefined = [];
  /**
   * Dialogs whose asks are recorded but not shown yet, and everything said since one of them first spoke: replies are printed after
   * their ask.
   */
  readonly #unannounced = new Set<string>();
  #held: LiveEvent[] = [];

  /** Starts watching; create it before the work starts, so that nothing is missed. `screen`: where live text goes. */
  constructor(call: Output, project: ProjectAccess, waiting: Waiting, screen: Screen | undefined = terminalOf(call)) {
    this.#call = call;
    this.#project = project;
    this.#waiting = waiting;
    this.#timeoutMs = timeoutOf(waiting);
    this.#view =
      screen &&
      new LiveView(
        screen,
        () => call.shell.now(),
        project.team.map(({ id }) => id),
      );
    this.#stopListening = project.onLive((event) => {
      if (this.#early) this.#early.push(event);
      else this.#show(event);
    });
  }

  /** Drives the tree until it is quiet, and reports this dialog's outcome. `accepted`: the part for programs. */
  async finish(place: DialogAddress, accepted: Accepted): Promise<ExitCode> {
    if (this.#call.json && !this.#waiting.wait) printJson(this.#call, { ...place, ...accepted });
    try {
      const left = await this.untilQuiet([{ rootId: place.rootId, seq: accepted.seq }]);
      const outcome = await outcomeOf(this.#project, place);
      if (this.#call.json && this.#waiting.wait) printJson(this.#call, { ...place, ...accepted, ...resultOf(outcome) });
      return left ? this.#leave(place, left) : await this.#report(outcome);
    } finally {
      this.end();
    }
  }

  /** Shows nothing more. */
  end(): void {
    this.#stopListening();
  }

  /** Resolves with the reason to leave, if there is one before all of these trees are quiet. */
  async untilQuiet(trees: readonly Since[]): Promise<"timeout" | "interrupted" | undefined> {
    const view = this.#view;
    if (view) for (const tree of trees) await this.#lookWhoWasAsked(tree);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#show(event);
    const { signal } = this.#call.shell.interrupts;
    // Decisions are shown between live text: who asks whom, and what a person is asked.
    const note =
      view &&
      ((line: Line<TreeEvent>) => {
        for (const event of line.events) view.note(event);
        this.#announce(line.events);
      });
    const listening = trees.map(({ rootId, seq }) => this.#project.listen(rootId, seq, note));
    let timer: NodeJS.Timeout | undefined;
    const left = new Promise<"timeout" | "interrupted">((resolve) => {
      if (this.#timeoutMs !== undefined) timer = setTimeout(() => resolve("timeout"), this.#timeoutMs);
      if (signal.aborted) resolve("interrupted");
      signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
    });
    try {
      return await Promise.race([this.#drive(trees), left]);
    } finally {
      clearTimeout(timer);
      await Promise.all(listening.map((one) => one.end()));
      this.#unannounced.clear();
      this.#announce([]);
      this.#view?.end();
    }
  }

  /** Resumes whatever an earlier process left unfinished in these trees, and waits until they are quiet. */
  async #drive(trees: readonly Since[]): Promise<undefined> {
    for (const { rootId } of trees) await this.#project.takeUp(rootId);
    // An unreadable tree doesn't stop the wait for the others.
    const quiet = await Promise.allSettled(trees.map(({ rootId }) => this.#project.quiet(rootId)));
    const failed = quiet.find((one) => one.status === "rejected");
    if (failed && trees.length === 1) throw failed.reason;
  }

  async #lookWhoWasAsked({ rootId, seq }: Since): Promise<void> {
    for (const { events } of await this.#project.events(rootId, seq))
      for (const event of events) if (event.type === "ask.opened") this.#unannounced.add(event.to);
  }

  #announce(events: readonly TreeEvent[]): void {
    for (const event of events) if (event.type === "ask.opened") this.#unannounced.delete(event.to);
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.#show(event);
  }

  #show(event: LiveEvent): void {
    if (this.#held.length > 0 || this.#unannounced.has(event.dialog.selfId)) return void this.#held.push(event);
    if (this.#view) this.#view.tell(event);
    else if (event.type === "retry_evt") tell(this.#call, `${event.message} Trying again in ${span(event.pauseMs)}.`);
  }

  /** The work is kept; calls in flight are interrupted when the project closes. */
  #leave({ selfId }: DialogAddress, why: "timeout" | "interrupted"): ExitCode {
    const goOn = goOnText(this.#project, `resume ${shortId(selfId)}`);
    tell(this.#call, why === "timeout" ? `Not finished after ${this.#waiting.timeout}. ${goOn}` : `Left in the middle. ${goOn}`);
    return why === "timeout" ? ExitCode.refused : ExitCode.interrupted;
  }

  async #report({ answer, questions, stopped }: Outcome): Promise<ExitCode> {
    const { shell, json } = this.#call;
    // In a terminal the answer has just been streamed.
    const isStreamed = this.#view !== undefined && shell.out.isTerminal;
    if (this.#waiting.wait && !json && !isStreamed && answer !== undefined && answer !== "") {
      shell.out.write(`${visible(answer)}\n`);
    }
    if (stopped !== undefined) {
      tell(this.#call, stopped);
      return ExitCode.refused;
    }
    if (questions.length === 0) return ExitCode.done;
    for (const question of questions) shell.err.write(cardText(shell.err, await cardOf(this.#project, question), shell.now()));
    await rememberShown(this.#project, questions);
    return ExitCode.waiting;
  }
}

/** What happens to the work after leaving, and the command to return to it. */
export const goOnText = ({ isServed }: ProjectAccess, command: string): string =>
  isServed ? `The server continues it. Wait again: colloquy ${command}` : `Nothing was lost. Continue: colloquy ${command}`;

/** The outcome, for programs. */
function resultOf({ view, answer, questions, stopped }: Outcome): object {
  return {
    state: view.state,
    ...(view.stopped ? { stopped: view.stopped } : stopped !== undefined && { stopped: { message: stopped } }),
    ...(answer !== undefined && { answer }),
    ...(questions.length > 0 && { questions }),
    usage: view.usage,
  };
}

const terminalOf = ({ shell }: Output): Screen | undefined => (shell.err.isTerminal ? shell.err : undefined);

function timeoutOf({ timeout }: Waiting): number | undefined {
  const ms = timeout === undefined ? undefined : readDuration(timeout);
  if (timeout !== undefined && ms === undefined) throw wrongUsage(`--timeout takes a time such as 30s, 5m or 2h, not "${timeout}".`);
  return ms;
}
