// What a server is made of, for tests of Colloquy itself.
export { Allowance } from "./allowance.ts";
export type { Context } from "./api/context.ts";
export { apiHandler } from "./api/handler.ts";
export type { Caller } from "./caller.ts";
export { Connection } from "./connection.ts";
export type { Pace } from "./pace.ts";
export { ServedProject } from "./served-project.ts";
