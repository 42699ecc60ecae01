import type { LogCursor } from "@colloquy/store";
import type { QueryConfig, QueryResultRow } from "pg";

/** A node that has not claimed or saved for so long may be replaced. */
const LEASE_MS = 15_000;

export interface CursorHost {
  readonly schema: string;
  readonly node: () => string;
  readonly query: <Row extends QueryResultRow>(query: QueryConfig) => Promise<Row[]>;
}

/** A follower's position in the database: of all nodes, one has it. */
export function postgresCursor(name: string, { schema, node, query }: CursorHost): LogCursor {
  const table = `"${schema}".cursors`;
  return {
    async claim() {
      const [row] = await query<{ pos: number | null }>({
        name: "cursor-claim",
        text: `insert into ${table} as c (name, node, until) values ($1, $2, now() + $3 * interval '1 ms')
          on conflict (name) do update set node = excluded.node, until = excluded.until
            where c.node is null or c.node = excluded.node or c.until < now()
              or not exists (select from "${schema}".nodes n where n.id = c.node and n.ended is null)
          returning pos`,
        values: [name, node(), LEASE_MS],
      });
      return row && { pos: row.pos ?? undefined };
    },
    async save(pos) {
      const rows = await query({
        name: "cursor-save",
        text: `update ${table} set pos = $3, until = now() + $4 * interval '1 ms' where name = $1 and node = $2 returning name`,
        values: [name, node(), pos, LEASE_MS],
      });
      return rows.length > 0;
    },
    async release() {
      await query({
        name: "cursor-release",
        text: `update ${table} set node = null where name = $1 and node = $2`,
        values: [name, node()],
      });
    },
  };
}
