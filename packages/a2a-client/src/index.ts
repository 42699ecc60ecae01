export { memberElsewhere } from "./member.ts";
export type { RemoteAddress } from "./remote-agent.ts";
