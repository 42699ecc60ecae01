import type { DatabaseSync } from "node:sqlite";
import { type EffectRow, effectView, outcomeOf, withNews } from "@colloquy/core";
import type { EffectView } from "@colloquy/schema";
import type { BatchedEffect, EffectSearch } from "./messages.ts";

/** `outcome`: null while a call is not listed. */
export const EFFECT_TABLES = `
  CREATE TABLE effects (call TEXT PRIMARY KEY, rootId TEXT NOT NULL, selfId TEXT NOT NULL, at TEXT NOT NULL, outcome TEXT, row TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX effectsByTime ON effects (at, call) WHERE outcome IS NOT NULL;
  CREATE INDEX effectsByTree ON effects (rootId, at, call);
  CREATE INDEX effectsUnknown ON effects (at, call) WHERE outcome = 'unknown';`;

interface Stored {
  readonly call: string;
  readonly rootId: string;
  readonly row: string;
}

/** The ledger's rows in the search index: each event of a call changes its row. */
export class EffectTable {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(rootId: string, change: BatchedEffect): void {
    const database = this.#database;
    if ("isCopied" in change) {
      // What had happened by then, happened in the original. What is still pending may run here.
      database.prepare("DELETE FROM effects WHERE rootId = ? AND (outcome IS NOT NULL OR row LIKE '%\"ended\"%')").run(rootId);
      return;
    }
    const { news } = change;
    const found = database.prepare("SELECT row FROM effects WHERE call = ?").get(news.call) as Pick<Stored, "row"> | undefined;
    const row = withNews(found && (JSON.parse(found.row) as EffectRow), news);
    if (row)
      database
        .prepare("INSERT OR REPLACE INTO effects VALUES (?, ?, ?, ?, ?, ?)")
        .run(news.call, rootId, row.selfId, row.at, outcomeOf(row) ?? null, JSON.stringify(row));
    else if (found) database.prepare("DELETE FROM effects WHERE call = ?").run(news.call);
  }

  /** Newest first. */
  find({ rootId, selfId, call, since, outcome, after, limit }: EffectSearch): readonly EffectView[] {
    const wanted: readonly (readonly [condition: string, ...values: string[]])[] = [
      outcome === "unknown" ? ["outcome = 'unknown'"] : outcome === undefined ? ["outcome IS NOT NULL"] : ["outcome = ?", outcome],
      ...(rootId === undefined ? [] : [["rootId = ?", rootId] as const]),
      ...(selfId === undefined ? [] : [["selfId = ?", selfId] as const]),
      ...(call === undefined ? [] : [["call LIKE ?", `%${call.replaceAll(/[^0-9a-f]/g, "")}`] as const]),
      ...(since === undefined ? [] : [["at >= ?", since] as const]),
      ...(after === undefined ? [] : [["(at, call) < (SELECT at, call FROM effects WHERE call = ?)", after] as const]),
    ];
    const text = `SELECT call, rootId, row FROM effects WHERE ${wanted.map(([one]) => one).join(" AND ")} ORDER BY at DESC, call DESC LIMIT ?`;
    const rows = this.#database.prepare(text).all(...wanted.flatMap(([, ...values]) => values), limit) as unknown as readonly Stored[];
    return rows.flatMap((one) => effectView(JSON.parse(one.row) as EffectRow, one.call, one.rootId) ?? []);
  }
}
