import { LOG_VERSION, type Snapshot, type StreamId } from "@colloquy/schema";
import { deletedIn } from "@colloquy/store";
import type { QueryConfig, QueryResultRow } from "pg";
import type { Pending } from "./commits.ts";

/** The node that commits. */
export interface Writer {
  readonly schema: string;
  readonly node: string;
  readonly place: string;
  /** It takes trees that nobody drives. */
  readonly claims: boolean;
}

interface HeadChange {
  /** Undefined: the events come after whatever is there. */
  expected: number | undefined;
  count: number;
  course: number;
  entry: string | undefined;
  isHot: boolean;
  epoch: number | undefined;
  isPlaced: boolean;
}

/** A head after the batch. */
export interface HeadRow extends QueryResultRow {
  /** The number of the batch's first commit. */
  readonly first: number;
  readonly stream: StreamId;
  readonly last: number;
  readonly owner: string | null;
  readonly epoch: number;
  readonly hot: boolean;
}

/** One statement for a group of commits. Several commits of one stream change its head once. */
export function commitBatch({ schema, node, place, claims }: Writer, nth: number, batch: readonly Pending[]): QueryConfig {
  const heads = new Map<StreamId, HeadChange>();
  const lines = batch.flatMap(({ shares, atMs }, commit) =>
    shares.map((share) => ({ ...share, atMs, commit, offset: change(heads, share) })),
  );
  const bases = new Map(
    lines.flatMap(({ part, base }) => (base ? [[`${part.stream} ${base.reducer}`, { stream: part.stream, ...base }]] : [])),
  );
  const changes = [...heads.values()];
  const kept = [...bases.values()];
  const documents = lines.flatMap(({ part }) => part.documents ?? []);
  const values = [
    node,
    nth,
    batch.length,
    place,
    claims,
    [...heads.keys()],
    changes.map(({ expected }) => expected ?? null),
    changes.map(({ count }) => count),
    changes.map(({ course }) => course),
    changes.map(({ entry }) => entry ?? null),
    changes.map(({ isHot }) => isHot),
    changes.map(({ epoch }) => epoch ?? null),
    changes.map(({ isPlaced }) => (isPlaced ? place : null)),
    lines.map(({ part }) => part.stream),
    lines.map(({ commit }) => commit),
    lines.map(({ offset }) => offset),
    lines.map(({ part }) => part.events.length),
    lines.map(({ atMs }) => atMs),
    LOG_VERSION,
    lines.map(({ events }) => events),
    kept.map(({ stream }) => stream),
    kept.map(({ reducer }) => reducer),
    kept.map(({ seq }) => seq),
    kept.map(({ text }) => text),
    lines.flatMap(({ part }) => part.commutes?.key ?? []),
  ];
  const deleted = lines.flatMap(({ part }) => deletedIn(part.stream, part.events));
  if (documents.length === 0 && deleted.length === 0) return call(schema, "commit_batch", values);
  const withDocuments = [
    ...values,
    documents.map(({ path }) => path),
    documents.map(({ from }) => from),
    documents.map(({ to }) => to),
    documents.map(({ text }) => text ?? null),
  ];
  if (deleted.length === 0) return call(schema, "commit_with_documents", withDocuments);
  return call(schema, "commit_with_deletions", [...withDocuments, deleted]);
}

const call = (schema: string, name: string, values: unknown[]): QueryConfig => ({
  name,
  text: `select * from "${schema}".${name}(${values.map((_, nth) => `$${nth + 1}`).join(",")})`,
  values,
});

/**
 * Adds a share to the change of its stream's head, and returns how many events of the batch come before it there. One part that does
 * not commute makes the whole change depend on what was there.
 */
function change(heads: Map<StreamId, HeadChange>, { part, course, entry, isHot, epoch }: Pending["shares"][number]): number {
  const { stream, events, commutes, isPlaced = false } = part;
  const known = heads.get(stream);
  const before = known?.count ?? 0;
  heads.set(stream, {
    expected: commutes ? known?.expected : part.expected - before,
    count: before + events.length,
    course,
    entry: entry ?? known?.entry,
    isHot: entry === undefined ? (known?.isHot ?? isHot) : isHot,
    epoch: known ? known.epoch : epoch,
    isPlaced: isPlaced || (known?.isPlaced ?? false),
  });
  return before;
}

/** Lines that were committed after `pos`, in order, with the heads of their streams as they are now. */
export const linesAfter = (schema: string, pos: number, upTo: number): QueryConfig => ({
  name: "after",
  text: `select l.stream, l.seq, l.pos, l.at, l.v, l.events as text, s.seq as head, s.course, s.entry, s.owner, s.epoch, s.hot
    from "${schema}".lines l join "${schema}".streams s on s.id = l.stream
    where l.pos > $1 and ($2::bigint is null or l.pos <= $2) order by l.pos, l.stream limit ${MAX_LINES_READ}`,
  values: [pos, upTo === Infinity ? null : upTo],
});

export const MAX_LINES_READ = 1_000;

/** The newest usable base first, if there is one, then the lines after it. */
export const openStream = (schema: string, stream: StreamId, reducer: number): QueryConfig => ({
  name: "open",
  text: `with base as (
      select b.seq, b.base from "${schema}".bases b join "${schema}".streams s on s.id = b.stream
      where b.stream = $1 and b.reducer = $2 and b.seq <= s.seq
    )
    select seq, null::bigint as pos, null::bigint as at, null::int as v, base as text from base
    union all
    (select seq, pos, at, v, events from "${schema}".lines
     where stream = $1 and last > coalesce((select seq from base), 0) order by seq)`,
  values: [stream, reducer],
});

export const readLines = (schema: string, stream: StreamId, after: number, limit: number | undefined): QueryConfig => ({
  name: "read",
  text: `select seq, pos, at, v, events as text from "${schema}".lines where stream = $1 and last > $2 order by seq limit $3`,
  values: [stream, after, limit === undefined || limit === Infinity ? null : limit],
});

export const insertBase = (schema: string, stream: StreamId, snapshot: Snapshot): QueryConfig => ({
  name: "snapshot",
  text: `insert into "${schema}".bases values ($1, $2, $3, $4)
    on conflict (stream, reducer) do update set seq = excluded.seq, base = excluded.base where excluded.seq >= bases.seq`,
  values: [stream, snapshot.reducer, snapshot.seq, JSON.stringify(snapshot)],
});
