export { filledIn } from "./filled-in.ts";
export { protectedCode } from "./server-code.ts";
export { McpServers, type ServerStatus, splitName } from "./servers.ts";
export { SignInFile } from "./sign-in-file.ts";
export { signIn } from "./sign-in.ts";
