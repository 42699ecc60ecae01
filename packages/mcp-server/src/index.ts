export { type HttpMcp, serveHttp, serveStandardIo } from "./serve.ts";
export type { McpProject } from "./mcp-project.ts";
