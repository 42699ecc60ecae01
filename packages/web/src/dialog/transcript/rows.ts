import type { Choice, Recorded, UndoConflict } from "@colloquy/schema";

type Of<Type extends Recorded["event"]["type"]> = Extract<Recorded["event"], { type: Type }>;

/** A row's position. */
export interface At {
  readonly seq: number;
  readonly at: number;
  /** Stable while the row grows. */
  readonly key: string;
}
export interface PersonRow extends At {
  readonly kind: "person";
  readonly by: string;
  readonly text: string;
  readonly to: readonly string[];
  /** Names of the pictures that came with it. */
  readonly images: readonly string[];
  /** No agent has read it yet. */
  readonly isUnread: boolean;
  readonly ack: string | undefined;
}
export interface SayingRow extends At {
  readonly kind: "saying" | "thinking";
  readonly agent: string;
  readonly text: string;
  readonly ms: number | undefined;
  readonly isCut: boolean;
  /** Live text that is not recorded yet. */
  readonly isLive: boolean;
}
export interface CallRow extends At {
  readonly kind: "call";
  readonly agent: string;
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string | undefined;
  readonly outcome: "error" | "refused" | "unknown" | undefined;
  readonly ms: number | undefined;
  /** Names of the pictures in its result. */
  readonly images: readonly string[];
  /** Its effects on the project, applied or awaiting approval, one line per file. */
  readonly effects: readonly string[];
  /** The question that holds it. */
  readonly held: string | undefined;
  /** It ran on a layer; its changes are applied when it ends without an error. */
  readonly isOnLayer: boolean;
  /** Its tool can undo it. */
  readonly undoable: boolean;
  readonly undo: UndoState | undefined;
}
/** Whether a command's changes were undone. */
export type UndoState =
  | { readonly kind: "asked" }
  | { readonly kind: "undone"; readonly by: string | undefined; readonly output: string | undefined }
  | {
      readonly kind: "refused";
      readonly why: "conflict" | "gone" | "failed" | "unknown";
      readonly conflicts: readonly UndoConflict[];
      readonly output: string;
    };
export interface AskRow extends At {
  readonly kind: "ask";
  readonly agent: string;
  readonly ask: string;
  readonly isBack: boolean;
  readonly to: string;
  readonly recipient: string;
  readonly text: string;
  readonly isQueued: boolean;
  readonly answer: { readonly text: string; readonly outcome: string | undefined; readonly at: number } | undefined;
}
export interface AssignmentRow extends At {
  readonly kind: "assignment";
  readonly from: string;
  readonly fromDialog: string;
  readonly isBack: boolean;
  readonly text: string;
}
export interface QuestionRow extends At {
  readonly kind: "question";
  readonly question: string;
  readonly agent: string;
  readonly headline: string;
  readonly text: string;
  readonly options: readonly Choice[];
  /** About a call, a limit or a fault: words do not answer it. */
  readonly isApproval: boolean;
  readonly as: Of<"question.closed">["as"] | "open";
  readonly by: string | undefined;
  readonly answer: string | undefined;
  readonly closedAt: number | undefined;
}
export interface CourseRow extends At {
  readonly kind: "course";
  readonly course: number;
  readonly by: string | undefined;
  readonly isFull: boolean;
}
/** A line of the system. */
export interface LineRow extends At {
  readonly kind: "line";
  readonly event: Recorded["event"];
}
export interface CallsRow extends At {
  readonly kind: "calls";
  readonly calls: readonly CallRow[];
}
export type Row = PersonRow | SayingRow | CallRow | CallsRow | AskRow | AssignmentRow | QuestionRow | CourseRow | LineRow;
