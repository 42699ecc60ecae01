// The server's internals, for Colloquy's own tests.
export { Allowance } from "./access/allowance.ts";
export type { Context } from "./api/context.ts";
export { apiHandler } from "./api/handler.ts";
export type { Caller } from "./access/caller.ts";
export { Connection } from "./live/connection.ts";
export type { Pace } from "./live/pace.ts";
export { ServedProject } from "./served-project.ts";
