import type { DialogView, LiveEvent, Project, RootId } from "@colloquy/library";
import type { Call } from "./command.ts";
import { ExitCode } from "./exit-code.ts";
import { wrongUsage } from "./failure.ts";
import { shortId } from "./ids.ts";
import { printJson, tell } from "./output.ts";
import { LiveView } from "./terminal/live-view.ts";
import type { Screen } from "./terminal/screen.ts";
import { readDuration, span } from "./terminal/time.ts";
import { visible } from "./terminal/visible.ts";

/** Options of every command that sets a dialog to work. */
export const drivingOptions = {
  wait: { about: "print the answer on standard output, all else on standard error" },
  timeout: { takes: "TIME", about: "leave after 30s, 5m or 2h; resume goes on" },
} as const;

export interface Waiting {
  readonly wait?: boolean;
  readonly timeout?: string;
}

/** What the person is told of the project's settings before it costs anything. */
export function tellNotices(call: Pick<Call, "shell">, project: Project): void {
  for (const notice of project.notices()) tell(call, notice);
}

type Where = Pick<Call, "shell" | "json">;

/** Who watches, and how it ended. */
export class Driving {
  readonly #call: Where;
  readonly #project: Project;
  readonly #waiting: Waiting;
  readonly #timeoutMs: number | undefined;
  readonly #view: LiveView | undefined;
  readonly #stopListening: () => void;
  /** What came before the person was told which dialog it is. */
  #early: LiveEvent[] | undefined = [];

  /** Begins to watch; make it before the work begins, so that no word is missed. `screen`: where live text goes. */
  constructor(call: Where, project: Project, waiting: Waiting, screen: Screen | undefined = terminalOf(call)) {
    this.#call = call;
    this.#project = project;
    this.#waiting = waiting;
    this.#timeoutMs = timeoutOf(waiting);
    this.#view = screen && new LiveView(screen, () => call.shell.now());
    this.#stopListening = project.onLive((event) => {
      if (this.#early) this.#early.push(event);
      else this.#show(event);
    });
  }

  /** Drives the tree until it is quiet; says what is to be said. `accepted`: what a program is told of it. */
  async finish(rootId: RootId, accepted: object): Promise<ExitCode> {
    if (this.#call.json && !this.#waiting.wait) printJson(this.#call, accepted);
    try {
      const left = await this.untilQuiet([rootId]);
      if (left) {
        if (this.#call.json && this.#waiting.wait) printJson(this.#call, { ...accepted, ...(await this.#result(rootId)) });
        return this.#leave(rootId, left);
      }
      return await this.#report(rootId, accepted);
    } finally {
      this.#stopListening();
    }
  }

  /** Resolves with the reason to leave when there is one before all of these trees are quiet. */
  async untilQuiet(rootIds: readonly RootId[]): Promise<"timeout" | "interrupted" | undefined> {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#show(event);
    const { signal } = this.#call.shell.interrupts;
    let timer: NodeJS.Timeout | undefined;
    const left = new Promise<"timeout" | "interrupted">((resolve) => {
      if (this.#timeoutMs !== undefined) timer = setTimeout(() => resolve("timeout"), this.#timeoutMs);
      if (signal.aborted) resolve("interrupted");
      signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
    });
    try {
      const quiet = Promise.all(rootIds.map((rootId) => this.#project.quiet(rootId)));
      return await Promise.race([quiet.then(() => undefined), left]);
    } finally {
      clearTimeout(timer);
      this.#view?.end();
    }
  }

  #show(event: LiveEvent): void {
    if (this.#view) this.#view.tell(event);
    else if (event.type === "retry_evt") tell(this.#call, `${event.message} Trying again in ${span(event.pauseMs)}.`);
  }

  /** The work stays; what is in flight is cut short when the project is closed. */
  #leave(rootId: RootId, why: "timeout" | "interrupted"): ExitCode {
    const goOn = `Nothing was lost. Go on: colloquy resume ${shortId(rootId)}`;
    tell(this.#call, why === "timeout" ? `Not finished after ${this.#waiting.timeout}. ${goOn}` : `Left in the middle. ${goOn}`);
    return why === "timeout" ? ExitCode.refused : ExitCode.interrupted;
  }

  async #report(rootId: RootId, accepted: object): Promise<ExitCode> {
    const { shell, json } = this.#call;
    const result = await this.#result(rootId);
    if (this.#waiting.wait && json) printJson(this.#call, { ...accepted, ...result });
    // In a terminal the answer has just been streamed.
    const isStreamed = this.#view !== undefined && shell.out.isTerminal;
    if (this.#waiting.wait && !json && !isStreamed && result.answer !== undefined && result.answer !== "") {
      shell.out.write(`${shell.out.isTerminal ? visible(result.answer) : result.answer}\n`);
    }
    if (result.stopped) {
      tell(this.#call, stoppedText(rootId, result.stopped.message));
      return ExitCode.refused;
    }
    if (result.state === "interrupted") {
      tell(this.#call, `Dialog ${shortId(rootId)} was left in the middle of something. Go on: colloquy resume ${shortId(rootId)}`);
      return ExitCode.refused;
    }
    return ExitCode.done;
  }

  async #result(rootId: RootId): Promise<Pick<DialogView, "state" | "stopped" | "usage"> & { readonly answer?: string }> {
    const { state, stopped, usage } = await this.#project.view(rootId);
    const answer = state === "resting" || state === "done" ? await this.#project.lastWords(rootId) : undefined;
    return { state, ...(stopped && { stopped }), ...(answer !== undefined && { answer }), usage };
  }
}

const terminalOf = ({ shell }: Where): Screen | undefined => (shell.err.isTerminal ? shell.err : undefined);

function timeoutOf({ timeout }: Waiting): number | undefined {
  const ms = timeout === undefined ? undefined : readDuration(timeout);
  if (timeout !== undefined && ms === undefined) throw wrongUsage(`--timeout takes a time such as 30s, 5m or 2h, not "${timeout}".`);
  return ms;
}

/** Why it stands still; the way on is added where the reason does not name it. */
function stoppedText(rootId: RootId, reason: string): string {
  const goOn = `colloquy resume ${shortId(rootId)}`;
  const message = visible(reason);
  return message.includes(goOn) ? message : `Dialog ${shortId(rootId)} is stopped: ${message} Go on: ${goOn}`;
}
