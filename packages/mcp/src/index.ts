export { protectedCode } from "./server-code.ts";
export { type ChosenTools, McpServers, type ServerStatus, splitName } from "./servers.ts";
