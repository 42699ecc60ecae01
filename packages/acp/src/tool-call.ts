import { isAbsolute, join } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { withVisibleControls } from "@colloquy/schema";

const KINDS: Readonly<Record<string, ToolKind>> = {
  list_dir: "read",
  read_file: "read",
  search_files: "search",
  write_file: "edit",
  edit_file: "edit",
  run_command: "execute",
};
const MAX_TITLE_LENGTH = 120;

interface ToolCallView {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations?: ToolCallLocation[];
  readonly content?: ToolCallContent[];
}

/** A call as editors show it. `dir`: the folder that relative paths start from. */
export function toolCallOf({ tool, input }: { readonly tool: string; readonly input: unknown }, dir: string | undefined): ToolCallView {
  const { path, command, pattern, headline } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const about = [command, path, pattern, headline].find((text) => typeof text === "string");
  const title = withVisibleControls(about === undefined ? tool : `${tool} ${about}`);
  const file = typeof path === "string" ? placeOf(path, dir) : undefined;
  const diff = file === undefined ? undefined : diffOf(tool, input as Readonly<Record<string, unknown>>, file);
  return {
    title: title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title,
    kind: KINDS[tool] ?? "other",
    ...(file !== undefined && { locations: [{ path: file }] }),
    ...(diff && { content: [diff] }),
  };
}

/** The protocol's paths are absolute. */
function placeOf(path: string, dir: string | undefined): string | undefined {
  if (isAbsolute(path)) return path;
  return dir === undefined ? undefined : join(dir, path);
}

/** The change that a call of a file tool makes. */
function diffOf(tool: string, input: Readonly<Record<string, unknown>>, path: string): ToolCallContent | undefined {
  if (tool === "edit_file" && typeof input.old === "string" && typeof input.new === "string")
    return { type: "diff", path, oldText: input.old, newText: input.new };
  if (tool === "write_file" && typeof input.content === "string") return { type: "diff", path, newText: input.content };
  return undefined;
}
