import { startPostgres } from "./postgres.mjs";

let stop = async (): Promise<void> => {};

/** One server for all tests that need one; each test creates its own database. */
export async function setup(): Promise<void> {
  const server = await startPostgres();
  stop = server.stop;
  process.env.COLLOQUY_TEST_POSTGRES = server.url;
}

export async function teardown(): Promise<void> {
  await stop();
}
