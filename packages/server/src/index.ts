export { tokenHash } from "./access/token-hash.ts";
export { newToken, readServerFile, type ServerFile } from "./server-file.ts";
export { serve, type ServeOptions, type Serving } from "./serve.ts";
export { startServer } from "./server.ts";
