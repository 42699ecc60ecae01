import { type AskedForm, type Call, type CallRef, type CallResult, decideToolQuestion, hash, masked } from "@colloquy/core";
import type { CallPart, Form, FormAnswer } from "@colloquy/schema";
import { elapsed } from "../engine/deps.ts";
import type { RunContext } from "../engine/run-context.ts";
import { within } from "../step/work-spans.ts";
import { cutResult } from "../step/long-result.ts";
import { type OpenCall, OutcomeUnknown, StagedOutput, type Tool, type ToolOutput, type ToolQuestion } from "./tool.ts";

/** Grace period after a timeout or at shutdown; a tool that ignores its signal is then abandoned. */
const ABORT_GRACE_MS = 3_000;

/** `asked`: it waits for a person, so the drain need not. `undefined`: we are shutting down, and a repeatable call will be repeated. */
export type Next = Ended | "asked" | undefined;

/** `staged`: its effects wait on its layer. */
type Ended = CallResult & { readonly staged?: StagedOutput };

/** Answers that people have given to the call so far, by key, and what it needs to resume. */
export interface Said {
  readonly answers: ReadonlyMap<string, FormAnswer>;
  readonly asked: readonly AskedForm[];
}

/** A call that is due to run. */
export interface DueCall {
  readonly at: CallRef;
  readonly call: Call;
  readonly part: CallPart;
  readonly said: Said;
}

/** The tool of a call, with its parsed input. */
export interface ToolWithInput {
  readonly tool: Tool;
  readonly input: unknown;
}

/**
 * A running call. Its tool may ask a person: then the call stays here, without a timeout and without a drain, until the answer is
 * recorded and the drain returns to it. If the process ends meanwhile, the log has everything needed to resume.
 */
export class RunningCall {
  readonly at: CallRef;
  readonly #call: Call;
  readonly #tool: Tool;
  readonly #abort = new AbortController();
  #files: NonNullable<CallResult["files"]> = [];
  /** The context of the latest drain that returned to it. Its copy of the tree may be newer. */
  #context: RunContext;
  readonly #input: unknown;
  readonly #onGivenUp: (result: CallResult) => Promise<void>;
  #ended: Promise<Ended | undefined> | undefined;
  readonly #askedBefore = new Map<string, number>();
  #said: Said = { answers: new Map(), asked: [] };
  #asking: { readonly key: string; readonly give: (answer: FormAnswer) => void } | undefined;
  #asked = Promise.withResolvers<"asked">();
  /** One question at a time. */
  #inTurn: Promise<unknown> = Promise.resolve();
  #isLate = false;
  /** Rejects if the tool ignores its abort signal. */
  readonly #leftAlone = Promise.withResolvers<never>();
  /** Aborted once the tool has ended. */
  readonly #over = new AbortController();
  #ms = 0;

  /** `onGivenUp`: called if it ended while one of its questions was open. */
  constructor(
    context: RunContext,
    { at, call }: Pick<DueCall, "at" | "call">,
    { tool, input }: ToolWithInput,
    onGivenUp: (result: CallResult) => Promise<void>,
  ) {
    this.at = at;
    this.#context = context;
    this.#call = call;
    this.#tool = tool;
    this.#input = input;
    this.#onGivenUp = onGivenUp;
  }

  /** Starts the tool, or hands it the answer it waits for; returns when it ends or asks again. */
  async next(context: RunContext, signal: AbortSignal, said: Said): Promise<Next> {
    this.#context = context;
    const { clock } = context.deps;
    const startedAt = clock.now();
    const stop = () => this.abort();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const inTime = new AbortController();
    clock.sleep(this.#tool.timeoutMs, inTime.signal).then(
      () => {
        this.#isLate = true;
        stop();
      },
      () => undefined,
    );
    this.#said = said;
    const asking = this.#asking;
    if (asking) {
      this.#asked = Promise.withResolvers<"asked">();
      this.#asking = undefined;
      asking.give(said.answers.get(asking.key) ?? { action: "cancel" });
    }
    this.#ended ??= this.#begin();
    try {
      const next = await Promise.race([this.#ended, this.#asked.promise]);
      this.#ms += elapsed(clock, startedAt);
      return next === undefined || next === "asked" ? next : { ...next, ms: this.#ms };
    } finally {
      inTime.abort();
      signal.removeEventListener("abort", stop);
    }
  }

  abort(): void {
    this.#abort.abort(new Error("stopped"));
    if (this.#isLate || this.#context.closing.aborted) this.#leaveAlone();
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.give({ action: "cancel" });
  }

  #leaveAlone(): void {
    this.#context.deps.clock.sleep(ABORT_GRACE_MS, this.#over.signal).then(
      () => this.#leftAlone.reject(new Error("left alone")),
      () => undefined,
    );
  }

  #begin(): Promise<Ended | undefined> {
    const ended = this.#run();
    ended
      .then((result) => (this.#asking && result ? this.#onGivenUp({ ...result, ms: this.#ms }) : undefined))
      .catch((error: unknown) => this.#context.deps.report(error, `call of ${this.#call.tool}`));
    return ended;
  }

  async #run(): Promise<Ended | undefined> {
    const { deps, closing, rulebook } = this.#context;
    const words = rulebook.texts();
    const { signal } = this.#abort;
    const name = this.#call.tool;
    const files = () => (this.#files.length > 0 ? { files: this.#files } : {});
    try {
      const running = within(deps.spans?.(), this.#work, () => this.#tool.run(this.#input, this.#open()));
      const output = await Promise.race([running, this.#leftAlone.promise]);
      if (!(output instanceof StagedOutput)) return { ...(await this.#capped(asText(output))), ...files() };
      return { ...(await this.#capped(output.output)), ...files(), staged: output };
    } catch (error) {
      if (closing.aborted && signal.aborted) return undefined;
      if (this.#tool.staged?.holdsAll(deps.dir) && (this.#isLate || signal.aborted))
        return { outcome: "error", output: words.nothingKept(name, this.#isLate ? "late" : "stopped") };
      if (this.#isLate) return { outcome: "unknown", output: words.timedOut(name, this.#tool.timeoutMs / 1000) };
      if (signal.aborted) return { outcome: "unknown", output: words.stoppedWhileRunning(name) };
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof OutcomeUnknown)
        return { outcome: "unknown", ...(await this.#capped(`${message} ${words.effectUnknown}`)), ...files() };
      return { outcome: "error", ...(await this.#capped(message)), ...files() };
    } finally {
      this.#over.abort();
    }
  }

  get #work() {
    return { rootId: this.#context.ref.rootId, call: this.#call.id };
  }

  #open(): OpenCall {
    const traceparent = this.#context.deps.spans?.()?.parentOf(this.#work);
    return {
      callId: this.#call.id,
      signal: this.#abort.signal,
      dialog: { rootId: this.#context.ref.rootId, selfId: this.#context.ref.dialog },
      agent: this.#context.ref.agent,
      dir: this.#context.deps.dir,
      resume: this.#said.asked.at(-1)?.resume,
      ...(traceparent !== undefined && { traceparent }),
      ask: (question) => {
        const answer = this.#inTurn.then(() => this.#ask(question));
        this.#inTurn = answer.catch(() => undefined); // The asker gets the error.
        return answer;
      },
      log: (text) => this.#log(masked(text, this.#context.deps.secrets())),
      blob: (name, content, mediaType) => this.#keep(name, content, mediaType),
    };
  }

  #log(text: string): void {
    this.#context.tell({ type: "tool_log_evt", call: this.#call.id, tool: this.#call.tool, text }, 0);
  }

  async #keep(name: string, content: string | Uint8Array, mediaType?: string): Promise<string> {
    const kept = blobName(this.#call.id, name);
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    const file = {
      name: kept,
      bytes: bytes.length,
      mediaType: mediaType ?? (typeof content === "string" ? "text/plain" : "application/octet-stream"),
    };
    const others = this.#files.filter((one) => one.name !== kept);
    this.#files = [...others, file];
    await this.#context.deps.store.putBlob(this.#context.ref.rootId, kept, bytes);
    return kept;
  }

  async #ask({ key: given, message, fields, url, resume }: ToolQuestion): Promise<FormAnswer> {
    const clean = (text: string) => masked(text, this.#context.deps.secrets());
    const form: Omit<Form, "key"> & { message: string } = {
      message: clean(message),
      fields: JSON.parse(clean(JSON.stringify(fields))) as Form["fields"],
      ...(url !== undefined && { url: clean(url) }),
      ...(resume !== undefined && { resume }),
    };
    const key = given ?? this.#keyOf(JSON.stringify([form.message, fields, url]));
    const known = this.#said.answers.get(key);
    if (known) return known;
    if (this.#abort.signal.aborted) return { action: "cancel" };
    const asked = await this.#context.record((tree) => decideToolQuestion(tree, this.at, { ...form, key }, this.#context.rulebook.rules()));
    if (!asked.ok || this.#abort.signal.aborted) return { action: "cancel" };
    return new Promise((give) => {
      this.#asking = { key, give };
      this.#asked.resolve("asked");
    });
  }

  /** A call may ask the same question twice. */
  #keyOf(words: string): string {
    const sign = hash(words);
    const nth = (this.#askedBefore.get(sign) ?? 0) + 1;
    this.#askedBefore.set(sign, nth);
    return `${sign}#${nth}`;
  }

  #capped(raw: string): Promise<Pick<CallResult, "output" | "blob">> {
    return cutResult(this.#context, this.#call.id, masked(raw, this.#context.deps.secrets()));
  }
}

const asText = (output: ToolOutput): string => (typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output));

/** A name is not a path: whatever it contains, the file stays in the tree's folder. */
const blobName = (call: string, name: string): string => `${call}-${name.replace(/[^\w.-]+/g, "_").slice(-100)}`;
