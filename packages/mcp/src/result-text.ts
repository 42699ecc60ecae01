import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolContext } from "@colloquy/runtime";
import { isDeepStrictEqual } from "node:util";

/** Stores the nth non-text item beside the log; returns its name. */
export type Keep = (nth: number, bytes: Uint8Array, mediaType: string) => Promise<string>;
type Kept = (base64: string, mediaType: string) => Promise<string>;

/** A result as text for an agent. Non-text items are stored as files, and a line names each. */
export async function resultText({ content, structuredContent }: CallToolResult, keep: Keep): Promise<string> {
  const texts = [...(await blockTexts(content, keep))];
  // Servers repeat structured content as text, for clients that support only text.
  if (structuredContent !== undefined && !texts.some((text) => isDeepStrictEqual(jsonOf(text), structuredContent)))
    texts.push(JSON.stringify(structuredContent));
  return texts.join("\n\n");
}

/** The same for content without structure. */
export async function blockTexts(content: readonly ContentBlock[], keep: Keep): Promise<readonly string[]> {
  const texts: string[] = [];
  let files = 0;
  const kept: Kept = async (base64, mediaType) => {
    const bytes = Buffer.from(base64, "base64");
    const name = await keep((files += 1), bytes, mediaType);
    return `[${mediaType}, ${bytes.length} bytes, kept beside the dialog's log as ${name}]`;
  };
  for (const block of content) texts.push(await blockText(block, kept));
  return texts;
}

/** `image/svg+xml` → `svg`. */
const extensionOf = (mediaType: string): string => /^[a-z]+\/(?:x-)?([a-z0-9]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? "bin";

/** Keeps files beside the log of the call's dialog. */
export const keepBeside =
  ({ blob }: Pick<ToolContext, "blob">): Keep =>
  (nth, bytes, mediaType) =>
    blob(`${nth}.${extensionOf(mediaType)}`, bytes, mediaType);

async function blockText(block: ContentBlock, kept: Kept): Promise<string> {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return kept(block.data, block.mimeType);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[${resource.uri}]\n${resource.text}`;
      return `[${resource.uri}]\n${await kept(resource.blob, resource.mimeType ?? "application/octet-stream")}`;
    }
    case "resource_link": {
      const about = [block.description, block.mimeType].filter(Boolean).join(", ");
      return `[${block.title ?? block.name}: ${block.uri}${about === "" ? "" : ` (${about})`}]`;
    }
    default:
      return JSON.stringify(block);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Plain text.
  }
}
