import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { AcpProject } from "./acp-project.ts";
import { acpAgent, type AgentOptions } from "./agent.ts";

/** ACP over this process's standard input and output. `closed`: the editor has closed the input. */
export function serveStandardIo(project: AcpProject, options: AgentOptions): { readonly closed: Promise<void> } {
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const stream = ndJsonStream(Writable.toWeb(process.stdout), input);
  return { closed: acpAgent(project, options).connect(stream).closed };
}
