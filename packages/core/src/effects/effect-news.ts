import { type CallPart, effectCounts, isCall, type SettledAs, type TreeEvent } from "@colloquy/schema";

/** What one event says about one call with effects; plain data, to be passed to a thread. */
export type EffectNews = { readonly call: string; readonly at: string } & (
  | { readonly kind: "made"; readonly selfId: string; readonly agentId: string; readonly tool: string; readonly what: string }
  | { readonly kind: "approved"; readonly by?: string; readonly grant?: string; readonly what?: string }
  | { readonly kind: "started"; readonly isStaged: boolean }
  /** `changes`: empty if it changed nothing on its layer. */
  | { readonly kind: "ran"; readonly changes: string }
  | {
      readonly kind: "ended";
      readonly outcome?: "error" | "refused" | "unknown";
      readonly receipt: string;
      readonly isCopied: boolean;
      readonly canUndo: boolean;
    }
  | { readonly kind: "settled"; readonly by?: string; readonly as: SettledAs; readonly note?: string; readonly isUndo: boolean }
  | { readonly kind: "undo"; readonly by?: string; readonly state: "asked" | "undone" | "refused" | "unknown"; readonly receipt?: string }
);

const MAX_CHARACTERS = 200;

/** What an event adds to the ledger: nothing, for most events. */
export function effectNews(event: TreeEvent, at: string): readonly EffectNews[] {
  switch (event.type) {
    case "step.ended":
      return event.parts
        .filter(isCall)
        .filter(({ kind }) => kind === "effects")
        .map((part) => ({
          kind: "made",
          call: part.call,
          at,
          selfId: event.dialog,
          agentId: event.agent,
          tool: part.tool,
          what: whatOf(part),
        }));
    case "question.closed":
      // An approval has the id of its call. Other questions name no call that the ledger knows.
      if (event.verdict !== "approved") return [];
      return [
        {
          kind: "approved",
          call: event.question,
          at,
          ...(event.by !== undefined && { by: event.by }),
          ...(event.byGrant !== undefined && { grant: event.byGrant }),
          ...(event.arguments !== undefined && { what: inputText(event.arguments) }),
        },
      ];
    case "call.started":
      return [{ kind: "started", call: event.call, at, isStaged: event.staged === true }];
    case "call.ran":
      return [{ kind: "ran", call: event.call, at, changes: changesOf(event.effects) }];
    case "call.ended":
      return [
        {
          kind: "ended",
          call: event.call,
          at,
          ...(event.outcome && { outcome: event.outcome }),
          receipt: oneLine(event.output),
          isCopied: event.copied === true,
          canUndo: event.undoable === true,
        },
      ];
    case "call.settled":
      return [
        {
          kind: "settled",
          call: event.call,
          at,
          as: event.as,
          isUndo: event.undo === true,
          ...(event.by !== undefined && { by: event.by }),
          ...(event.note !== undefined && { note: event.note }),
        },
      ];
    case "call.undo_asked":
      return [{ kind: "undo", call: event.call, at, state: "asked", ...(event.by !== undefined && { by: event.by }) }];
    case "call.undone":
      return [
        {
          kind: "undo",
          call: event.call,
          at,
          state: event.refused === undefined ? "undone" : event.refused === "unknown" ? "unknown" : "refused",
          ...(event.output !== undefined && { receipt: oneLine(event.output) }),
          ...(event.by !== undefined && { by: event.by }),
        },
      ];
    default:
      return [];
  }
}

const changesOf = (effects: Parameters<typeof effectCounts>[0]): string =>
  effectCounts(effects) || [...effects.git, ...(effects.files.length > 0 ? ["~"] : [])].slice(0, 1).join("");

const whatOf = ({ input }: CallPart): string => inputText(input);

/** The command or path if there is one, else the whole input. */
function inputText(input: unknown): string {
  if (typeof input === "object" && input !== null) {
    if ("command" in input && typeof input.command === "string") return oneLine(input.command);
    if ("path" in input && typeof input.path === "string") return oneLine(input.path);
  }
  return oneLine(typeof input === "string" ? input : (JSON.stringify(input) ?? ""));
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * MAX_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…` : line;
}
