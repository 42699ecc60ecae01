import type { DocumentSwap, StoredDocument, StoredDocuments } from "@colloquy/store";
import type { QueryConfig, QueryResultRow } from "pg";

interface DocumentRow extends QueryResultRow {
  readonly path: string;
  readonly hash: string;
  readonly text: string | null;
  readonly version: number;
}

type Query = <Row extends QueryResultRow>(query: QueryConfig) => Promise<Row[]>;

/** The project's documents, a row for each: the current version, or that it was removed. */
export class PostgresDocuments implements StoredDocuments {
  readonly #schema: string;
  readonly #query: Query;
  /** Changes are numbered; `since` has told those up to here. */
  #version: number;
  hasNews = false;

  constructor(schema: string, version: number, query: Query) {
    this.#schema = schema;
    this.#version = version;
    this.#query = query;
  }

  /** A process changed a document, or may have done so unheard. */
  heard(): void {
    this.hasNews = true;
  }

  async below(folders: readonly string[]): Promise<readonly StoredDocument[]> {
    // "0" comes after "/": the range is what lies below the folder, and the index finds it.
    const text = `select d.path, d.hash, d.text from unnest($1::text[]) f (folder) cross join lateral (
        select * from "${this.#schema}".documents where path >= f.folder || '/' and path < f.folder || '0' and hash <> '') d
      order by d.path`;
    return (await this.#query<DocumentRow>({ name: "documents", text, values: [folders] })).map(asDocument);
  }

  async since(): Promise<readonly StoredDocument[]> {
    this.hasNews = false;
    const text = `select path, hash, text, version from "${this.#schema}".documents where version > $1 order by version`;
    try {
      const rows = await this.#query<DocumentRow>({ name: "news", text, values: [this.#version] });
      this.#version = rows.at(-1)?.version ?? this.#version;
      return rows.map(asDocument);
    } catch (error) {
      this.hasNews = true;
      throw error;
    }
  }

  async swap({ path, from, to, text }: DocumentSwap): Promise<"written" | "taken"> {
    const statement = `select "${this.#schema}".swap_document($1, $2, $3, $4) as hash`;
    const [row] = await this.#query<{ hash: string }>({ name: "swap", text: statement, values: [path, from, to, text ?? null] });
    return row?.hash === to ? "written" : "taken";
  }
}

const asDocument = ({ path, hash, text }: DocumentRow): StoredDocument => ({ path, hash, text: text ?? undefined });
