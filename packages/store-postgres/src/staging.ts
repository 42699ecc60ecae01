import type { RootId } from "@colloquy/schema";
import type { PastLine } from "@colloquy/store";
import type { QueryConfig } from "pg";

// The past of a copied tree: lines whose `pos` is negative, so that no follower of the log reads them, and a stream without an entry, so
// that nobody sees it until a commit continues it. `discard_staged` removes those of nodes that have ended.

export const beginStaging = (schema: string, stream: RootId, node: string): QueryConfig => ({
  name: "stage",
  text: `with begun as (insert into "${schema}".staged values ($1, $2) on conflict (stream) do update set node = excluded.node)
    delete from "${schema}".lines where stream = $1 and pos < 0
      and not exists (select from "${schema}".streams where id = $1 and entry is not null)`,
  values: [stream, node],
});

export const stageLines = (schema: string, stream: RootId, lines: readonly PastLine[]): QueryConfig => ({
  name: "stage lines",
  text: `insert into "${schema}".lines (stream, seq, last, pos, at, v, events)
    select $1, * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[], $7::text[])`,
  values: [
    stream,
    lines.map(({ line }) => line.seq),
    lines.map(({ line }) => line.seq + line.events.length - 1),
    lines.map(({ line }) => -line.pos),
    lines.map(({ line }) => Date.parse(line.at)),
    lines.map(({ line }) => line.v),
    lines.map(({ line }) => JSON.stringify(line.events)),
  ],
});

export const endStaging = (
  schema: string,
  stream: RootId,
  { seq, course }: { readonly seq: number; readonly course: number },
): QueryConfig => ({
  name: "staged",
  text: `insert into "${schema}".streams (id, seq, course) values ($1, $2, $3)
    on conflict (id) do update set seq = excluded.seq, course = excluded.course where streams.entry is null`,
  values: [stream, seq, course],
});
