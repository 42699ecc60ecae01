// What `import … from "colloquy"` gives.
export * from "@colloquy/library";
export { handlers, type Handlers } from "./handlers.ts";
export { nodeHandler } from "./node-handler.ts";
export { type EmbeddedProject, type EmbedOptions, openProject } from "./open-project.ts";
export type { User } from "@colloquy/server/fetch";
