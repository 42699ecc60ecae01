import type { Engine } from "@colloquy/runtime";
import { CallId, type DialogId, type EffectView, Refused, type RootId, type SettledAs, type UnsettledCall } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { give } from "../dialogs/give-command.ts";
import type { Page } from "../dialogs/page.ts";
import { requireText } from "../dialogs/require-text.ts";
import { type Receipt, signature, type Signed } from "../dialogs/signed.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";
import type { SearchIndex } from "../search/search-index.ts";

/** `dialog`: a main dialog for its whole tree, or a side dialog. `since`: an ISO time. `after`: the last call of the previous page. */
export interface EffectQuery {
  readonly dialog?: string | undefined;
  readonly since?: string | undefined;
  readonly outcome?: EffectView["outcome"] | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  /** Wait until the ledger has caught up with the logs, however long that takes. */
  readonly whole?: boolean | undefined;
}

/** `isComplete`: the ledger has caught up with the logs. */
export interface EffectPage extends Page<EffectView, string> {
  readonly isComplete: boolean;
}

export interface SettleInput extends Signed {
  readonly note?: string | undefined;
}

/** A call that somebody must settle, and its tree. */
export interface UnsettledInTree extends UnsettledCall {
  readonly rootId: RootId;
}

interface EffectParts {
  readonly store: Store;
  readonly commands: Engine["commands"];
  readonly index: () => SearchIndex;
  readonly address: (dialog: string) => Promise<{ readonly rootId: RootId; readonly selfId: DialogId }>;
}

const MAX_ROWS = 500;
const MAX_NAMED = 6;

/** The ledger: what the team has done to the world. */
export class Effects {
  readonly #parts: EffectParts;

  /** @internal */
  constructor(parts: EffectParts) {
    this.#parts = parts;
  }

  /** Calls that may have had an effect, newest first. */
  async list({ dialog, since, outcome, after, limit = MAX_ROWS, whole = false }: EffectQuery = {}): Promise<EffectPage> {
    const address = dialog === undefined ? undefined : await this.#parts.address(dialog);
    const isMain = address !== undefined && (address.rootId as string) === address.selfId;
    const index = this.#parts.index();
    const most = Math.max(1, Math.min(limit, MAX_ROWS));
    const within = address && { rootId: address.rootId, ...(!isMain && { selfId: address.selfId }) };
    const from = since === undefined ? undefined : isoTime(since);
    const rows = await index.effects({ ...within, since: from, outcome, after, limit: most + 1 }, whole);
    const items = rows.slice(0, most);
    const next = rows.length > most ? items.at(-1)?.call : undefined;
    return { items, ...(next !== undefined && { next }), isComplete: index.isComplete };
  }

  /** Calls whose outcome nobody knows, oldest first; from the index of trees, without reading a log. */
  unsettled(): readonly UnsettledInTree[] {
    const { store } = this.#parts;
    return store
      .asking()
      .flatMap((rootId) => (store.entry(rootId)?.unsettled ?? []).map((one) => ({ ...one, rootId })))
      .toSorted((one, other) => (one.at < other.at ? -1 : 1));
  }

  /** Says how a call with an unknown outcome ended. `typed`: its id, or its last digits. Refusals are thrown as `Refused`. */
  async settle(typed: string, as: SettledAs, { note, ...signed }: SettleInput = {}): Promise<Receipt> {
    const { commands } = this.#parts;
    signed.signal?.throwIfAborted();
    const { rootId, dialog, call } = await this.#find(requireText("The id of a call", typed).toLowerCase());
    return unlessAborted(signed.signal, () =>
      give(commands, rootId, { type: "settle", dialog, call, as, ...(note !== undefined && { note }), ...signature(signed) }),
    );
  }

  async #find(typed: string): Promise<{ readonly rootId: RootId; readonly dialog: DialogId; readonly call: CallId }> {
    const open = this.unsettled();
    const found = open.filter(({ call }) => call.endsWith(typed));
    const [only] = found;
    if (only && found.length === 1) return only;
    if (only) throw refused("ambiguous", `Several calls end with ${typed}:`, found);
    // One that is settled: whoever settled it with the same msgId gets the same receipt.
    const call = CallId.safeParse(typed);
    const [known] = call.success ? await this.#parts.index().effects({ call: call.data, limit: 1 }, true) : [];
    if (known) return { rootId: known.rootId, dialog: known.selfId, call: known.call };
    throw refused(
      "call_not_open",
      `There is no call ${typed} with an unknown outcome.${open.length > 0 ? " Calls to settle:" : ""}`,
      open.slice(0, MAX_NAMED),
    );
  }
}

function isoTime(given: string): string {
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw new Refused({ code: "bad_request", message: `"${given}" is no time. Give one like 2026-01-31T08:00:00Z.` });
  return new Date(at).toISOString();
}

function refused(code: "ambiguous" | "call_not_open", message: string, found: readonly UnsettledCall[]): Refused {
  return new Refused({ code, message: [message, ...found.map(({ call, agent, tool }) => `  ${call}  ${agent}: ${tool}`)].join("\n") });
}
