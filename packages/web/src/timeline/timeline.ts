/** A tree over time. */
export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly people: readonly Decision[];
  readonly arrows: readonly Arrow[];
  readonly from: number;
  readonly to: number;
}

export type MarkKind = "model" | "tool" | "waitAgent" | "waitPerson" | "stopped";

/** Something that took time in a lane. */
export interface Mark {
  readonly kind: MarkKind;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
  readonly label: string;
  /** Who is awaited. */
  readonly whom: string | undefined;
  /** The dialog that serves the ask. */
  readonly serves: string | undefined;
}

export interface Lane {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly depth: number;
  readonly start: number;
  readonly marks: readonly Mark[];
  /** Moments: new courses, ends. */
  readonly flags: readonly { readonly at: number; readonly kind: "course" | "died"; readonly seq: number }[];
}

export interface Arrow {
  readonly kind: "ask" | "answer" | "question" | "reply";
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly seq: number;
}

/** A question to people, and how it ended. */
export interface Decision {
  readonly id: string;
  readonly lane: string;
  readonly headline: string;
  readonly from: number;
  readonly to: number | undefined;
  readonly by: string | undefined;
  readonly answer: string | undefined;
  readonly seq: number;
}

/** The lane of people. */
export const PEOPLE = "people";
