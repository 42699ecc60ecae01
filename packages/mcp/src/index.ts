export { type ChosenTools, McpServers, type ServerStatus, splitName } from "./servers.ts";
