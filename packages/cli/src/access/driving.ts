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
  wait: { about: "print the answer on standard output, all else on standard error" },
  timeout: { takes: "TIME", about: "leave after 30s, 5m or 2h; resume later" },
} as const;

export interface Waiting {
  readonly wait?: boolean;
  readonly timeout?: string;
}

/** What the person is told of the project's settings before it costs anything. */
export function tellNotices(call: Pick<Call, "shell">, project: ProjectAccess): void {
  for (const notice of project.notices) tell(call, notice);
}

type Output = Pick<Call, "shell" | "json">;

/** What a command has led to, for a program. */
interface Accepted {
  readonly seq: number;
  readonly ack?: string;
  readonly question?: string;
  readonly dead?: string;
}

/** Who watches, and how it ended. */
export class Driving {
  readonly #call: Output;
  readonly #project: ProjectAccess;
  readonly #waiting: Waiting;
  readonly #timeoutMs: number | undefined;
  readonly #view: LiveView | undefined;
  readonly #stopListening: () => void;
  /** What came before the person was told which dialog it is. */
  #early: LiveEvent[] | undefined = [];
  /** Dialogs whose asks are recorded and not shown yet, and all that was said since one of them first spoke: words come behind their ask. */
  readonly #unannounced = new Set<string>();
  #held: LiveEvent[] = [];

  /** Begins to watch; make it before the work begins, so that no word is missed. `screen`: where live text goes. */
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

  /** Drives the tree until it is quiet; says what is to be said of this dialog. `accepted`: what a program is told of it. */
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

  /** Nothing more is shown. */
  end(): void {
    this.#stopListening();
  }

  /** Resolves with the reason to leave when there is one before all of these trees are quiet. */
  async untilQuiet(trees: readonly Since[]): Promise<"timeout" | "interrupted" | undefined> {
    const view = this.#view;
    if (view) for (const tree of trees) await this.#lookWhoWasAsked(tree);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#show(event);
    const { signal } = this.#call.shell.interrupts;
    // What was decided is shown between what is said: who asks whom, and what a person is asked.
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

  /** Whatever else an earlier process left in the middle of these trees is taken up with them. */
  async #drive(trees: readonly Since[]): Promise<undefined> {
    for (const { rootId } of trees) await this.#project.takeUp(rootId);
    // Of several, one that cannot be read keeps nobody from waiting for the others.
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

  /** The work stays; what is in flight is cut short when the project is closed. */
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

/** What becomes of the work when one leaves, and the way back to it. */
export const goOnText = ({ isServed }: ProjectAccess, command: string): string =>
  isServed ? `The server continues it. Wait again: colloquy ${command}` : `Nothing was lost. Continue: colloquy ${command}`;

/** What a program is told of the end. */
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
