import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from "@colloquy/library";
import type { ModelMessage } from "@colloquy/schema";
import { z } from "zod";
import { median, newFolder, timed } from "./bare.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const TURNS = 10_000;
const SAMPLE = 41;

const search = defineTool({
  name: "search_files",
  description: "Searches.",
  input: z.object({ pattern: z.string() }),
  reads: true,
  run: ({ pattern }) => `${pattern}: ${WORDS.repeat(24)}`,
});

/** Does turn 10,000 cost more than turn 10? And how much disk space does everything but the transcript take? */
export async function longDialog(): Promise<Figure[]> {
  const dir = newFolder("long");
  let transcript: readonly ModelMessage[] = [];
  const reply = ({ messages, step }: { messages: readonly ModelMessage[]; step: number }) => {
    transcript = messages;
    return step === 1
      ? { calls: [{ tool: "search_files", input: { pattern: `order timeout ${messages.length}` } }] }
      : { say: WORDS.repeat(6) };
  };
  const project = await benchProject("long", reply, [{ id: "lead", role: "You lead.", tools: [search] }], dir);
  // Warm-up, in another dialog.
  const warm = await project.dialogs.create({ content: WORDS });
  for (let turn = 0; turn < 1_500; turn++) {
    await project.dialogs.quiet(warm.id);
    await warm.send(WORDS);
  }
  await project.dialogs.quiet(warm.id);
  const dialog = await project.dialogs.create({ content: WORDS });
  await project.dialogs.quiet(dialog.id);
  const times: number[] = [];
  for (let turn = 2; turn <= TURNS + SAMPLE; turn++) {
    times.push(
      await timed(async () => {
        await dialog.send({ content: `${turn}: ${WORDS}`, msgId: `m${turn}` });
        await project.dialogs.quiet(dialog.id);
      }),
    );
  }
  const around = (turn: number) => median(times.slice(Math.max(0, turn - (SAMPLE >> 1)), turn + (SAMPLE >> 1)));
  const bytes = JSON.stringify(transcript.map(asProviderJson)).length;
  await project.close();
  const onDisk = sizeOf(join(dir, ".dialogs/run", dialog.id), () => true);
  const at10 = around(SAMPLE);
  return [
    {
      name: "turn 1,000 against turn 10",
      value: around(1_000) / at10,
      unit: "×",
      limit: 1.1,
      note: `${at10.toFixed(2)} → ${around(1_000).toFixed(2)} ms`,
    },
    {
      name: "turn 10,000 against turn 10",
      value: around(TURNS) / at10,
      unit: "×",
      limit: 1.1,
      note: `${at10.toFixed(2)} → ${around(TURNS).toFixed(2)} ms`,
    },
    {
      name: "bytes on disk",
      value: onDisk / bytes,
      unit: "× the transcript",
      limit: 1.3,
      note: `${(onDisk / 1e6).toFixed(1)} MB for ${(bytes / 1e6).toFixed(1)} MB after ${TURNS} turns: a message of 100 characters, a result of 2,300, an answer of 600`,
    },
  ];
}

function asProviderJson(message: ModelMessage): unknown {
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: message.parts.map((part) =>
          "call" in part
            ? { type: "tool-call", toolCallId: part.call, toolName: part.tool, input: part.input }
            : { type: "text", text: "saying" in part ? part.saying : part.thinking },
        ),
      };
    case "result":
      return {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: message.call, toolName: message.tool, output: { type: "text", value: message.output } },
        ],
      };
    default:
      return { role: message.role, content: message.text };
  }
}

export function sizeOf(dir: string, isCounted: (name: string) => boolean): number {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => isCounted(entry.name))
    .reduce(
      (sum, entry) => sum + (entry.isDirectory() ? sizeOf(join(dir, entry.name), isCounted) : statSync(join(dir, entry.name)).size),
      0,
    );
}
