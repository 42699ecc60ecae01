export { protectedCode } from "./server-code.ts";
export { McpServers, type ServerStatus, splitName } from "./servers.ts";
