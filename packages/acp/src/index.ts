export type { AcpProject } from "./acp-project.ts";
export { serveStandardIo } from "./serve.ts";
