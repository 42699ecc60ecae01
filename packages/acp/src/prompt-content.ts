import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";

interface Prompt {
  readonly text: string;
  readonly images: readonly Uint8Array[];
}

/** A prompt's blocks as a message. Linked files are named; embedded ones are quoted. */
export function readPrompt(blocks: readonly ContentBlock[]): Prompt {
  const texts: string[] = [];
  const images: Uint8Array[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        images.push(Buffer.from(block.data, "base64"));
        break;
      case "resource_link":
        texts.push(`[${block.name}](${block.uri})`);
        break;
      case "resource": {
        const { resource } = block;
        if (!("text" in resource)) throw invalid(`${resource.uri} is no text.`);
        texts.push(`${resource.uri}\n\n${quoted(resource.text)}`);
        break;
      }
      default:
        throw invalid("A prompt is made of text, images, links and embedded texts; audio is not used.");
    }
  }
  const text = texts.join("\n\n");
  if (text.trim() === "") throw invalid("A message needs some text.");
  return { text, images };
}

/** In a fence that is longer than any in the text. */
function quoted(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

export const invalid = (message: string): RequestError => RequestError.invalidParams(undefined, message);
