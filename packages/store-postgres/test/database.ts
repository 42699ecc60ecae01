import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { onTestFinished } from "vitest";

/** The server that scripts/test-postgres.ts started. */
const server = (): string => {
  const url = process.env.COLLOQUY_TEST_POSTGRES;
  if (!url) throw new Error("No PostgreSQL server. Run: npm test -- packages/store-postgres");
  return url;
};

export interface Database {
  /** A superuser's address, without a project. */
  readonly url: string;
  readonly name: string;
  /** As a superuser. */
  readonly run: (sql: string) => Promise<Record<string, unknown>[]>;
}

/** An empty database, dropped after the test. */
export async function newDatabase(): Promise<Database> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await once(server(), `create database ${name}`);
  const url = new URL(server());
  url.pathname = `/${name}`;
  onTestFinished(async () => void (await once(server(), `drop database ${name} with (force)`)));
  return { url: url.href, name, run: (sql) => once(url.href, sql) };
}

async function once(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
