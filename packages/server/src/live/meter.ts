import type { Committed, LiveEvent, Project } from "@colloquy/library";
import type { TreeEvent } from "@colloquy/schema";

/** Counts what happens in a project while the server runs. */
export class Meter {
  dialogsCreated = 0;
  sideDialogsCreated = 0;
  sessionsRegistered = 0;
  questionsAsked = 0;
  questionsClosed = 0;
  modelCalls = 0;
  modelFaults = 0;
  toolCalls = 0;
  steps = 0;
  stepMs = 0;
  inputTokens = 0;
  cachedTokens = 0;
  outputTokens = 0;
  cost = 0;
  readonly #stops: readonly (() => void)[];

  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
    this.#stops = [project.onCommit((committed) => this.#committed(committed)), project.onLive((event) => this.#live(event))];
  }

  get dialogsCompleted(): number {
    return this.#project.dialogs.completed;
  }

  get sideDialogsCompleted(): number {
    return this.#project.dialogs.sideCompleted;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #committed({ lines }: Committed): void {
    for (const { stream, line } of lines) {
      if (stream !== "project") for (const event of line.events as readonly TreeEvent[]) this.#count(event);
    }
  }

  #count(event: TreeEvent): void {
    switch (event.type) {
      case "dialog.created":
        if (!event.side) this.dialogsCreated += 1;
        else this.sideDialogsCreated += 1;
        if (event.side?.session !== undefined) this.sessionsRegistered += 1;
        return;
      case "question.asked":
        this.questionsAsked += 1;
        return;
      case "question.closed":
        this.questionsClosed += 1;
        return;
      case "call.ended":
        this.toolCalls += 1;
        return;
      case "step.ended":
        this.steps += 1;
        this.stepMs += event.ms;
        this.inputTokens += event.usage?.input ?? 0;
        this.cachedTokens += event.usage?.cachedInput ?? 0;
        this.outputTokens += event.usage?.output ?? 0;
        this.cost += event.cost ?? 0;
        return;
      default:
        return;
    }
  }

  #live({ type }: LiveEvent): void {
    if (type === "generating_start_evt") this.modelCalls += 1;
    else if (type === "stream_error_evt") this.modelFaults += 1;
  }
}
