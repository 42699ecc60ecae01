import type { Loaded } from "../dialog-column.tsx";

type DialogQuestion = Loaded["view"]["questions"][number];

const KINDS: ReadonlySet<DialogQuestion["kind"]> = new Set(["question", "confirmation"]);

/** The open question that words can answer. Approvals, limits, failures and forms are decided in their card. */
export const answerable = <Question extends Pick<DialogQuestion, "kind" | "allowOther" | "options" | "fields">>(
  questions: readonly Question[],
): Question | undefined =>
  questions.find(
    ({ kind, allowOther, options, fields = [] }) => KINDS.has(kind) && (allowOther || options.length === 0) && fields.length === 0,
  );
