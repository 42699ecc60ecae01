import { type AgentContext, methods } from "@agentclientprotocol/sdk";
import { questionText, type Teller } from "@colloquy/bridge";
import type { QuestionView } from "@colloquy/schema";
import type { AcpProject } from "./acp-project.ts";
import { carryOut, type Decision, isOvertaken } from "./decision.ts";
import { filledIn, formOf } from "./elicitation.ts";
import { isPermission, permissionFor, permitted } from "./permission.ts";
import { wordsIn } from "./words.ts";

export interface Editor {
  readonly client: AgentContext;
  /** It shows forms. */
  readonly hasForms: boolean;
  /** Shows a text of ours in the session. */
  readonly say: (text: string) => Promise<void>;
}

/** Shows the open questions of one session in the editor, one at a time, oldest first. Each version is shown once. */
export class Asker {
  readonly #project: AcpProject;
  readonly #teller: Teller;
  readonly #editor: Editor;
  /** Versions that the person has seen and left open. */
  readonly #left = new Set<string>();
  #asking: Promise<void> | undefined;
  #isPaused = false;
  #ending = new AbortController();

  constructor(project: AcpProject, teller: Teller, editor: Editor) {
    this.#project = project;
    this.#teller = teller;
    this.#editor = editor;
  }

  /** Asks, unless it is asking. False if there is nothing to ask. */
  async next(): Promise<boolean> {
    if (this.#isPaused) return false;
    if (this.#asking) return true;
    const open = await this.#project.questions(this.#teller.rootId);
    const question = open.find((one) => !this.#left.has(versionOf(one)));
    if (!question) return false;
    this.#asking ??= this.#ask(question)
      .catch((error: unknown) => this.#leave(question, error))
      .finally(() => (this.#asking = undefined));
    return true;
  }

  /** Resolves when the question that is being asked is settled or left open. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  /** Takes back what is being asked, and asks nothing until `resume`. It stays open elsewhere. */
  pause(): void {
    this.#isPaused = true;
    this.#ending.abort();
    this.#ending = new AbortController();
  }

  resume(): void {
    this.#isPaused = false;
  }

  async #ask(question: QuestionView): Promise<void> {
    const { signal } = this.#ending;
    const overtaken = new AbortController();
    const { id, dialog, seq } = question;
    const stop = this.#project.watch(dialog.rootId, seq, {
      commit: ({ events }) => {
        for (const event of events)
          if ((event.type === "question.closed" || event.type === "question.revised") && event.question === id) overtaken.abort();
      },
      live: () => undefined,
    });
    try {
      const decision = await this.#decided(question, AbortSignal.any([signal, overtaken.signal]));
      if (overtaken.signal.aborted) return;
      if (decision.type === "left") this.#left.add(versionOf(question));
      else await carryOut(this.#project, question, decision);
    } catch (error) {
      if (!overtaken.signal.aborted && !isOvertaken(error)) throw error;
    } finally {
      stop();
    }
  }

  async #decided(question: QuestionView, cancellationSignal: AbortSignal): Promise<Decision> {
    const { client, hasForms, say } = this.#editor;
    const sessionId = this.#teller.rootId;
    const how = { cancellationSignal, stopWaitingOnCancel: true };
    const { id, call, kind } = question;
    const page = this.#project.pageOf(id);
    const isPlain = kind === "question" || kind === "confirmation";
    if (hasForms && isPlain) {
      const { language } = this.#project;
      const message = [question.headline, question.text, ...(page === undefined ? [] : [page])].join("\n\n");
      const form = { sessionId, toolCallId: call ?? id, mode: "form" as const, message, requestedSchema: formOf(question, language) };
      return filledIn(question, await client.request(methods.client.elicitation.create, form, how));
    }
    if (isPermission(question)) {
      const asked = { question, part: call === undefined ? undefined : this.#teller.callOf(call) };
      const request = { sessionId, ...permissionFor(this.#project, asked) };
      return permitted(asked, await client.request(methods.client.session.requestPermission, request, how));
    }
    await say(questionText(question, { language: this.#project.language, page, others: 0 }));
    return { type: "left" };
  }

  /** A question that could not be shown, or a decision that was refused: the inbox has it. */
  async #leave(question: QuestionView, error: unknown): Promise<void> {
    if (this.#isPaused) return;
    this.#left.add(versionOf(question));
    const words = wordsIn(this.#project.language);
    const message = error instanceof Error ? error.message : String(error);
    await this.#editor.say(`${words.refused(message)} ${words.inbox(this.#project.pageOf(question.id))}`).catch(() => undefined);
  }
}

const versionOf = ({ id, shown }: QuestionView): string => `${id}.${shown}`;
