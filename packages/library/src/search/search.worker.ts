import { closeSync, openSync, rmSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import type { Batch, FromIndex, Hit, Indexed, ToIndex } from "./messages.ts";
import { EFFECT_TABLES, EffectTable } from "./effect-table.ts";
import { hasAll, likeText, matchText, snippetOf, termsOf } from "./query.ts";

// Older versions of Node warn of SQLite each time it is loaded.
process.removeAllListeners("warning");
const { DatabaseSync } = await import("node:sqlite");

/** Version of the tables; an index of another version is rebuilt. */
const VERSION = 2;
/** Marks a cleanly closed index: it contains every commit it was given. */
const CLEAN = 7;

let database: InstanceType<typeof DatabaseSync>;

type Opened = { readonly opened: readonly Indexed[]; readonly isClean: boolean };

function open(path: string): Opened {
  try {
    return openWhole(path);
  } catch {
    // An unreadable index is deleted and rebuilt from the log.
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    return openWhole(path);
  }
}

function openWhole(path: string): Opened {
  // SQLite gives its other files the permissions of this one.
  if (path !== ":memory:") closeSync(openSync(path, "a", 0o600));
  database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version !== VERSION) {
    database.exec(`
      DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS trees; DROP TABLE IF EXISTS effects;
      CREATE VIRTUAL TABLE words USING fts5(text, rootId UNINDEXED, selfId UNINDEXED, seq UNINDEXED, at UNINDEXED, by UNINDEXED, questionId UNINDEXED, tokenize = 'trigram');
      CREATE TABLE trees (rootId TEXT PRIMARY KEY, seq INTEGER NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
      ${EFFECT_TABLES}
      CREATE TABLE IF NOT EXISTS titles (selfId TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID;
      DELETE FROM titles;
      PRAGMA user_version = ${VERSION}`);
  }
  const { application_id: mark } = database.prepare("PRAGMA application_id").get() as { application_id: number };
  database.exec("PRAGMA application_id = 0");
  const opened = database.prepare("SELECT rootId, seq, at FROM trees").all() as unknown as readonly Indexed[];
  return { opened, isClean: mark === CLEAN };
}

function add(batches: readonly Batch[]): void {
  const known = database.prepare("SELECT seq FROM trees WHERE rootId = ?");
  const insert = database.prepare("INSERT INTO words (text, rootId, selfId, seq, at, by, questionId) VALUES (?, ?, ?, ?, ?, ?, ?)");
  const title = database.prepare("SELECT place FROM titles WHERE selfId = ?");
  const remove = database.prepare("DELETE FROM words WHERE rowid = ?");
  const keepTitle = database.prepare("INSERT OR REPLACE INTO titles VALUES (?, ?)");
  const ledger = new EffectTable(database);
  const keepTree = database.prepare("INSERT OR REPLACE INTO trees VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { rootId, seq, at, words, effects } of batches) {
    const before = (known.get(rootId) as { seq: number } | undefined)?.seq ?? 0;
    if (seq <= before) continue;
    for (const one of words) {
      if (one.seq !== undefined && one.seq <= before) continue;
      const { lastInsertRowid } = insert.run(one.text, rootId, one.selfId, one.seq ?? null, one.at, one.by, one.questionId ?? null);
      if (one.seq !== undefined) continue;
      const old = title.get(one.selfId) as { place: number } | undefined;
      if (old) remove.run(old.place);
      keepTitle.run(one.selfId, lastInsertRowid);
    }
    for (const one of effects) if (one.seq > before) ledger.add(rootId, one);
    keepTree.run(rootId, seq, at);
  }
  database.exec("COMMIT");
}

function forget(trees: readonly string[]): void {
  const words = database.prepare("SELECT rowid AS place, selfId FROM words WHERE rootId = ?");
  const remove = database.prepare("DELETE FROM words WHERE rowid = ?");
  const removeTitle = database.prepare("DELETE FROM titles WHERE selfId = ?");
  const removeTree = database.prepare("DELETE FROM trees WHERE rootId = ?");
  const removeEffects = database.prepare("DELETE FROM effects WHERE rootId = ?");
  database.exec("BEGIN");
  for (const rootId of trees) {
    for (const { place, selfId } of words.all(rootId) as unknown as readonly { place: number; selfId: string }[]) {
      remove.run(place);
      removeTitle.run(selfId);
    }
    removeTree.run(rootId);
    removeEffects.run(rootId);
  }
  database.exec("COMMIT");
}

type Row = Omit<Hit, "seq" | "questionId"> & { readonly seq: number | null; readonly questionId: string | null };

function search(query: string, limit: number): readonly Hit[] {
  const terms = termsOf(query);
  const conditions = [...(terms.indexed.length > 0 ? ["words MATCH ?"] : []), ...terms.short.map(() => String.raw`text LIKE ? ESCAPE '\'`)];
  if (conditions.length === 0) return [];
  const values = [...(terms.indexed.length > 0 ? [matchText(terms)] : []), ...terms.short.map(likeText)];
  const rows: Row[] = [];
  const found = database
    .prepare(`SELECT text, rootId, selfId, seq, at, by, questionId FROM words WHERE ${conditions.join(" AND ")} ORDER BY at DESC`)
    .iterate(...values) as unknown as Iterable<Row>;
  for (const row of found) {
    if (hasAll(row.text, terms)) rows.push(row);
    if (rows.length === limit) break;
  }
  return rows.map(({ seq, questionId, text, ...row }) => ({
    ...row,
    text: "",
    seq: seq ?? undefined,
    questionId: questionId ?? undefined,
    snippet: snippetOf(text, terms),
  }));
}

function answer(message: ToIndex & { readonly id: number }): FromIndex {
  const { id } = message;
  switch (message.type) {
    case "open":
      return { id, ...open(message.path) };
    case "add":
      add(message.batches);
      return { id, done: true };
    case "forget":
      forget(message.trees);
      return { id, done: true };
    case "search":
      return { id, hits: search(message.query, message.limit) };
    case "effects":
      return { id, effects: new EffectTable(database).find(message.wanted) };
    case "close":
      database.exec(`PRAGMA application_id = ${CLEAN}`);
      database.close();
      return { id, done: true };
  }
}

parentPort?.on("message", (message: ToIndex & { readonly id: number }) => {
  try {
    parentPort?.postMessage(answer(message));
  } catch (error) {
    parentPort?.postMessage({ id: message.id, error: error instanceof Error ? error.message : String(error) } satisfies FromIndex);
  }
});
