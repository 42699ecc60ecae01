import { type McpServer, ResourceTemplate, UriTemplate } from "@modelcontextprotocol/server";
import { look } from "./dialog-tools.ts";
import { shortOf } from "./question-tools.ts";
import type { McpProject } from "./mcp-project.ts";

const QUESTIONS = "colloquy://questions";
const dialogUri = (id: string): string => `colloquy://dialogs/${id}`;

/** Longer than any id. */
const MAX_URI = 2_000;

/** The protocol's own matching throws at very long addresses. */
class ShortTemplate extends UriTemplate {
  override match(uri: string) {
    return uri.length > MAX_URI ? null : super.match(uri);
  }
}

const json = (uri: URL, value: unknown) => ({
  contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value, undefined, 2) }],
});

/** What clients can attach and subscribe to. */
export function addResources(server: McpServer, project: McpProject): void {
  server.registerResource(
    "questions",
    QUESTIONS,
    { title: "Open questions", description: "What waits for people.", mimeType: "application/json" },
    async (uri) => json(uri, { questions: (await project.questions()).map(shortOf) }),
  );
  server.registerResource(
    "dialog",
    new ResourceTemplate(new ShortTemplate(dialogUri("{id}")), { list: undefined }),
    { title: "A dialog", description: "Its state, what it waits for, and what its agent said last.", mimeType: "application/json" },
    async (uri, { id }) => json(uri, await look(project, String(id))),
  );
}

/** The resources that a change concerns. */
export const changed = (rootId: string, isAboutQuestions: boolean): readonly string[] => [
  dialogUri(rootId),
  ...(isAboutQuestions ? [QUESTIONS] : []),
];
