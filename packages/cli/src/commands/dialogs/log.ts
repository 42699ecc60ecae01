import type { Line, TreeEvent } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, isMain, type DialogAddress, shortId } from "../../dialogs/ids.ts";
import { jsonText, printJson } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { eventDigest } from "../../terminal/event-digest.ts";
import { clockSeconds } from "../../terminal/time.ts";
import { oneLine } from "../../terminal/visible.ts";
import { cut, padEnd, padStart } from "../../terminal/width.ts";

/** One event of a log with its place. */
interface Recorded {
  readonly seq: number;
  readonly pos: number;
  readonly at: string;
  readonly event: TreeEvent;
}

export const log = defineCommand({
  words: ["DIALOG"],
  options: {
    after: { takes: "SEQ", about: "only what comes behind this number" },
    follow: { about: "and new events while it works" },
  },
  about:
    "Every event of a dialog in order, as the log on disk has it; of a main dialog with its side dialogs, whose ids stand before " +
    "what they did. In a pipe one a line: number, time, type, the event as JSON. " +
    "With --follow also new events, until it is idle.",
  examples: [
    ["colloquy log @", "all events of the last dialog"],
    ["colloquy log 7f3a2c --after 40 --json", "the newer ones, for a program"],
  ],

  async run(call) {
    const { values, words, json, shell } = call;
    const after = values.after === undefined ? 0 : Number(values.after);
    if (!Number.isInteger(after) || after < 0) throw wrongUsage(`--after takes the number of an event, not "${values.after}".`);
    return withProject(call, async (project) => {
      const place = await findDialog(project, words[0] ?? "");
      const { rootId } = place;
      if (!values.follow) {
        const events = recorded(await project.events(rootId, after), after, place);
        if (json) printJson(call, { events });
        else for (const event of events) shell.out.write(eventText(call, event, place));
        return ExitCode.done;
      }
      const end = new AbortController();
      const { signal } = shell.interrupts;
      signal.addEventListener("abort", () => end.abort(), { once: true });
      // Nobody else can write while we hold the project: once it is quiet, nothing more comes.
      void project.quiet(rootId).then(() => end.abort());
      let told = after;
      const write = (line: Line<TreeEvent>) => {
        for (const event of recorded([line], told, place)) {
          if (json) printJson(call, event);
          else shell.out.write(eventText(call, event, place));
        }
        told = Math.max(told, line.seq + line.events.length - 1);
      };
      for await (const line of project.follow(rootId, after, end.signal)) write(line);
      // The last lines may have come together with the end.
      if (!signal.aborted) for (const line of await project.events(rootId, told)) write(line);
      return signal.aborted ? ExitCode.interrupted : ExitCode.done;
    });
  },
});

/** Of a main dialog the log of its tree, of a side dialog its own part of it. */
const recorded = (lines: readonly Line<TreeEvent>[], after: number, place: DialogAddress): readonly Recorded[] =>
  lines
    .flatMap(({ seq, pos, at, events }) => events.map((event, nth) => ({ seq: seq + nth, pos, at, event })))
    .filter(({ seq, event }) => seq > after && (isMain(place) || event.dialog === place.selfId));

function eventText({ shell: { out } }: Call, { seq, at, event }: Recorded, place: DialogAddress): string {
  if (!out.isTerminal) return `${[String(seq), at, event.type, jsonText(event)].join("\t")}\n`;
  const { bold, dim } = out.colours;
  const number = padStart(String(seq), 5);
  const time = clockSeconds(at);
  const type = padEnd(event.type, 16);
  const elsewhere = event.dialog === place.selfId ? "" : `[${shortId(event.dialog)}] `;
  const rest = cut(oneLine(elsewhere + eventDigest(event)), Math.max(4, out.columns - (number + time + type).length - 6));
  return `${dim(`${number}  ${time}`)}  ${bold(type)}  ${rest}\n`;
}
