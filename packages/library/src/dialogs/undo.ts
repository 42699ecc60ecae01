import { type AppliedCall, appliedCall } from "@colloquy/core";
import type { Deps, Engine } from "@colloquy/runtime";
import { CallId, Refused, type RootId } from "@colloquy/schema";
import { type Look, treeWith } from "../open/locate.ts";
import { give } from "./give-command.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { requireText } from "./require-text.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** The first paths that were undone and the number of others, or what the tool said. */
export interface UndoReceipt extends Receipt {
  readonly call: string;
  readonly dialog: { readonly rootId: string; readonly selfId: string };
  readonly paths: readonly string[];
  readonly more: number;
  /** What the tool said that undid it. */
  readonly output?: string | undefined;
}

interface FoundCall {
  readonly rootId: RootId;
  readonly applied: AppliedCall;
}

const MAX_LISTED = 10;

/** `callsOf`: calls in the ledger that end with these digits. */
interface UndoParts {
  readonly engine: Pick<Engine, "deps" | "commands">;
  readonly callsOf: (digits: string) => Promise<readonly string[]>;
  readonly look: Look;
}

/** Restores what a command changed: all of it, or nothing. `typed`: the call's id, or its last digits. Refusals are thrown as `Refused`. */
export async function undoCall({ engine, callsOf, look }: UndoParts, typed: string, signed: Signed = {}): Promise<UndoReceipt> {
  signed.signal?.throwIfAborted();
  const { rootId, applied } = await find({ deps: engine.deps, callsOf }, look, requireText("The id of a call", typed));
  const { call, dialog, paths, more } = applied;
  const receipt = await unlessAborted(signed.signal, () =>
    give(engine.commands, rootId, { type: "undo", dialog, call, ...signature(signed) }),
  );
  const said = await look(rootId, (tree) => appliedCall(tree, call)?.said);
  return { ...receipt, call, dialog: { rootId, selfId: dialog }, paths, more, ...(said !== undefined && { output: said }) };
}

async function find(
  { deps, callsOf }: Pick<UndoParts, "callsOf"> & { readonly deps: Deps },
  look: Look,
  typed: string,
): Promise<FoundCall> {
  const { store } = deps;
  const at = async (id: string): Promise<FoundCall | undefined> => {
    const call = CallId.safeParse(id);
    if (!call.success) return undefined;
    const rootId = await treeWith(store, look, id, (tree) => appliedCall(tree, call.data) !== undefined);
    const applied = rootId === undefined ? undefined : await look(rootId, (tree) => appliedCall(tree, call.data));
    return rootId !== undefined && applied ? { rootId, applied } : undefined;
  };
  const whole = await at(typed);
  if (whole) return whole;
  const known = (await deps.staging?.undoable(deps.dir)) ?? [];
  const isDigits = /^[0-9a-f]{4,31}$/.test(typed);
  const fitting = isDigits ? known.filter((id) => id.endsWith(typed)) : [];
  const layered = (await Promise.all(fitting.map(at))).flatMap((one) => one ?? []);
  const found = layered.length > 0 || !isDigits ? layered : (await Promise.all((await callsOf(typed)).map(at))).flatMap((one) => one ?? []);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) throw refused("ambiguous", `Several commands end with ${typed}:`, found);
  const others = (await Promise.all(known.slice(0, MAX_LISTED).map(at))).flatMap((one) => one ?? []);
  throw refused(
    "not_undoable",
    `There is nothing to undo: no command ${typed} changed files, or what it replaced is no longer kept.${others.length > 0 ? " Commands that can be undone, newest first:" : ""}`,
    others,
  );
}

function refused(code: "ambiguous" | "not_undoable", message: string, found: readonly FoundCall[]): Refused {
  const lines = found.map(
    ({ applied: { call, agent, tool, paths, more } }) =>
      `  ${call}  ${agent}: ${paths.join(", ") || tool}${more > 0 ? ` and ${more} more` : ""}`,
  );
  return new Refused({ code, message: [message, ...lines].join("\n") });
}
