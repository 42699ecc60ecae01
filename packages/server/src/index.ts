export { tokenHash } from "./access/token-hash.ts";
export { newToken, readServerFile, type ServerFile } from "./server-file.ts";
export { serve, type ServeOptions, type Serving } from "./serve.ts";
export { Server, type ServerOptions, startServer } from "./server.ts";
