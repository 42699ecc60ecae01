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

/** One event of a log with its position. */
interface Recorded {
  readonly seq: number;
  readonly pos: number;
  readonly at: string;
  readonly event: TreeEvent;
}

export const log = defineCommand({
  words: ["DIALOG"],
  options: {
    after: { takes: "SEQ", about: { en: "only events after this number", zh: "只列出此编号之后的事件" } },
    follow: { about: { en: "and new events while it works", zh: "工作期间的新事件也一并列出" } },
  },
  about: {
    en:
      "Every event of a dialog in order, as in the log on disk; for a main dialog including its side dialogs, each event with " +
      "its dialog's id. In a pipe one per line: number, time, type, the event as JSON. " +
      "With --follow also new events, until it is idle.",
    zh: "按顺序列出对话的每个事件，与磁盘上的日志一致；主对话连同其子对话一起列出，每个事件都带所属对话的 id。在管道中每行一个：编号、时间、类型、JSON 格式的事件。加 --follow 则继续列出新事件，直到对话空闲。",
  },
  examples: [
    ["colloquy log @", { en: "all events of the last dialog", zh: "上一个对话的全部事件" }],
    ["colloquy log 7f3a2c --after 40 --json", { en: "the newer ones, for a program", zh: "较新的事件，供程序使用" }],
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

/** For a main dialog the log of its tree, for a side dialog its own part. */
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
