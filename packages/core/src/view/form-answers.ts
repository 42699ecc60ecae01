import type { CallId, CallPart, FormAnswer, QuestionId, TreeEventOf } from "@colloquy/schema";
import { callHash } from "../state/hash.ts";

/** What a tool asked people while its call was open, and the outcome. */
export interface AskedForm {
  readonly question: QuestionId;
  readonly key: string;
  readonly headline: string;
  readonly resume: unknown;
  readonly answer: FormAnswer | undefined;
}

/**
 * People's answers to a tool's forms, for calls that have to ask again: either the same call after a crash, or, if the call may not be
 * repeated and so ended as unknown, the same call made again in the same turn.
 */
export class FormAnswers {
  readonly #asked = new Map<CallId, readonly AskedForm[]>();
  readonly #kept = new Map<string, readonly AskedForm[]>();

  ask({ call, question, form, headline }: TreeEventOf<"question.asked">): void {
    if (call === undefined || !form) return;
    const asked = { question, key: form.key, headline, resume: form.resume, answer: undefined };
    this.#asked.set(call, [...(this.#asked.get(call) ?? []), asked]);
  }

  close(call: CallId, { question, as, values }: TreeEventOf<"question.closed">): void {
    const answer: FormAnswer =
      as === "answered" ? { action: "accept", values: values ?? {} } : { action: as === "dismissed" ? "decline" : "cancel" };
    const forms = this.#asked.get(call) ?? [];
    this.#asked.set(
      call,
      forms.map((form) => (form.question === question ? { ...form, answer } : form)),
    );
  }

  /** What the call's tool has asked so far, oldest first. */
  of(call: CallId): readonly AskedForm[] {
    return this.#asked.get(call) ?? [];
  }

  /** People's answers for this call, by the key of each form. */
  answersFor(part: CallPart, turn: number): ReadonlyMap<string, FormAnswer> {
    const given = [...(this.#kept.get(sign(part, turn)) ?? []), ...this.of(part.call)];
    return new Map(given.flatMap(({ key, answer }) => (answer ? [[key, answer] as const] : [])));
  }

  end(part: CallPart | undefined, { call, turn, outcome }: TreeEventOf<"call.ended">): void {
    const forms = this.of(call);
    this.#asked.delete(call);
    if (!part) return;
    // Answers to a lost call are kept. After such a call has finished, the next one asks again.
    const said = forms.filter(({ answer }) => answer && answer.action !== "cancel");
    if (outcome === "unknown" && said.length > 0) this.#kept.set(sign(part, turn), said);
    else if (outcome !== "refused") this.#kept.delete(sign(part, turn));
  }

  forget(turn: number): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${turn} `)) this.#kept.delete(key);
  }
}

const sign = (part: CallPart, turn: number): string => `${turn} ${callHash(part)}`;
