import { readYaml } from "@colloquy/models";
import { AgentConfig, AgentId } from "@colloquy/schema";
import { notBuiltYet } from "../open/not-built-yet.ts";

const FENCE = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;

export type AgentFile =
  | { readonly ok: true; readonly id: string; readonly agent: AgentConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const FrontMatter = AgentConfig.omit({ role: true });

/** `agents/<id>.md`: front matter with the fields of an agent in `colloquy.yaml`; the body is the role prompt. */
export async function readAgentFile(name: string, text: string): Promise<AgentFile> {
  const file = `agents/${name}`;
  const id = name.replace(/\.md$/, "");
  const named = AgentId.safeParse(id);
  if (!named.success) return { ok: false, problems: [`${file}: ${named.error.issues[0]?.message ?? "not a name for an agent"}`] };

  const head = FENCE.exec(text);
  const role = text.slice(head?.[0].length ?? 0).trim();
  if (role === "") return { ok: false, problems: [`${file}: the role prompt is missing: write it below the front matter.`] };
  // One line for the fence above the front matter, so that the numbers are those of the file.
  const read = await readYaml(head ? `\n${head[1]}` : "", file, FrontMatter, (path) => notBuiltYet(["agents", id, ...path]));
  return read.ok ? { ok: true, id, agent: { ...read.value, role } } : read;
}
