import type { Committed, Entry, Project } from "@colloquy/library";
import {
  type DialogId,
  type DialogRow,
  type Line,
  PROJECT_STREAM,
  type QuestionId,
  type ProjectEvent,
  type RootId,
  type ServerPacket,
  type ServerPacketOf,
  type StreamId,
  type TreeEvent,
  Refused,
} from "@colloquy/schema";
import { Frame } from "./frame.ts";
import type { Places } from "../places.ts";

/** A frame, and the reader's position after it. */
export type Placed = readonly [Frame, number];

const PAGE_COMMITS = 64;

/** A feed's project, and the positions of its commits in the logs. */
export interface FeedSource {
  readonly id: string;
  readonly project: Project;
  readonly places: Places;
}

/**
 * Project-wide packets in commit order. Replayed packets are made from the log by the same code as live ones; only the positions
 * are stored.
 */
export class Feed {
  readonly #projectId: string;
  readonly #project: Project;
  readonly #tell: (frames: readonly Placed[]) => void;
  readonly #report: (error: unknown) => void;
  readonly #places: Places;
  #told: Promise<void> = Promise.resolve();
  #toldNumbers = "";
  pos: number;

  constructor({ id, project, places }: FeedSource, tell: (frames: readonly Placed[]) => void, report: (error: unknown) => void) {
    this.#projectId = id;
    this.#project = project;
    this.#places = places;
    this.#tell = tell;
    this.#report = report;
    this.pos = project.health().pos;
  }

  committed({ pos, lines }: Committed): void {
    this.pos = Math.max(this.pos, pos);
    // Trees come last: if the file is torn, their positions can be recovered from the logs.
    const told = [...lines.filter(isTold), ...lines.filter(({ stream }) => stream !== PROJECT_STREAM)];
    for (const { stream, line } of told) this.#places.add({ pos, rootId: stream, seq: line.seq, at: line.at });
    // One after the other, to keep commit order.
    this.#told = this.#told
      .then(async () => {
        const frames: Placed[] = [];
        for (const { stream, line } of told) {
          for (const packet of await this.#packetsOf(stream, line)) frames.push([new Frame(packet), pos]);
        }
        if (frames.length > 0) this.#tell([...frames, ...this.#numbers(pos)]);
      })
      .catch(this.#report);
  }

  /** Throws if a commit after this position is no longer known. */
  demand(after: number): void {
    if (after >= this.#places.floor) return;
    throw new Refused({
      code: "too_far_behind",
      message: `Events after ${after} can no longer be replayed. Read the lists, then subscribe with after: ${this.pos}.`,
    });
  }

  /** The next few commits after this position. */
  async after(cursor: number): Promise<readonly Placed[]> {
    const page: Placed[] = [];
    for (const { pos, rootId, seq } of this.#places.after(cursor, PAGE_COMMITS)) {
      const packets = await this.#packetsAt(rootId, seq, pos);
      page.push(...packets.map((packet) => [new Frame(packet), pos] as const));
    }
    const last = page.at(-1);
    return last ? [...page, [new Frame(this.#row(last[1])), last[1]]] : [];
  }

  /** The project's counts, if they changed since they were last sent. */
  #numbers(pos: number): readonly Placed[] {
    const { questions, running } = this.#row(pos);
    const told = `${questions} ${running}`;
    if (told === this.#toldNumbers) return [];
    this.#toldNumbers = told;
    return [[new Frame(this.#row(pos)), pos]];
  }

  #row(pos: number): ServerPacketOf<"project.updated"> {
    const { questions, dialogs } = this.#project;
    return { type: "project.updated", projectId: this.#projectId, pos, questions: questions.count(), running: dialogs.atWork() };
  }

  /** For an unreadable tree only its row is sent, so that readers still get all other trees. */
  async #packetsAt(stream: StreamId, seq: number, pos: number): Promise<readonly ServerPacket[]> {
    try {
      const [line] = await this.#project.lines(stream, seq - 1, 1);
      return line ? await this.#packetsOf(stream, line) : [];
    } catch (error) {
      const damaged = stream === PROJECT_STREAM ? undefined : this.#project.dialogs.damageOf(stream);
      const entry = this.#project.dialogs.entry(stream);
      if (damaged === undefined || !entry) throw error;
      return [{ type: "dialog.updated", projectId: this.#projectId, pos, dialog: dialogRow(entry, damaged) }];
    }
  }

  async #packetsOf(stream: StreamId, line: Line): Promise<readonly ServerPacket[]> {
    return stream === PROJECT_STREAM ? this.#projectPackets(line as Line<ProjectEvent>) : this.#packets(stream, line as Line<TreeEvent>);
  }

  /** Tasks that were created, taken, released, changed or closed, each once, and notices that were given or dismissed. */
  #projectPackets(line: Line<ProjectEvent>): readonly ServerPacket[] {
    const place = { projectId: this.#projectId, pos: line.pos };
    const tasks = new Set(line.events.flatMap((event) => ("task" in event ? [event.task] : [])));
    return [
      ...line.events.flatMap((event): ServerPacket[] =>
        event.type === "tree.deleted" ? [{ type: "dialog.deleted", ...place, rootId: event.rootId }] : [],
      ),
      ...[...tasks].map((id): ServerPacket => ({ type: "task.updated", ...place, task: this.#project.tasks.get(id) })),
      ...line.events.flatMap((event): ServerPacket[] => {
        if (event.type !== "notice.given" && event.type !== "notice.resolved") return [];
        const notification = this.#project.notifications.notice(event.notice);
        if (!notification) return [];
        const { id, source, sourceId, questions } = notification;
        return event.type === "notice.given"
          ? [{ type: "notification.added", ...place, notification }]
          : [{ type: "notification.resolved", ...place, notificationId: id, source, sourceId, questions }];
      }),
    ];
  }

  async #packets(rootId: RootId, line: Line<TreeEvent>): Promise<readonly ServerPacket[]> {
    if (!this.#project.dialogs.entry(rootId)) return []; // it was deleted
    const place = { projectId: this.#projectId, pos: line.pos };
    const hasQuestions = line.events.some(({ type }) => type === "question.asked" || type === "question.closed");
    const changes = hasQuestions ? await this.#project.questions.changes(rootId, line) : undefined;
    const entry = this.#project.dialogs.entry(rootId);
    const questions = await Promise.all(questionsNamed(line).map((id) => this.#project.questions.get(id)));
    return [
      ...(changes?.counts ?? []).map(({ dialog, ...count }): ServerPacket => ({
        type: "questions_count_update",
        ...place,
        dialog: { rootId, selfId: dialog },
        ...count,
      })),
      ...(changes?.added ?? []).map((notification): ServerPacket => ({ type: "notification.added", ...place, notification })),
      ...(changes?.resolved ?? []).map(({ id, ...resolved }): ServerPacket => ({
        type: "notification.resolved",
        ...place,
        notificationId: id,
        ...resolved,
      })),
      ...questions.map((question): ServerPacket => ({ type: "question.updated", ...place, question })),
      // A task is blocked by the questions of its dialog.
      ...(hasQuestions ? this.#project.tasks.of(rootId) : []).map((task): ServerPacket => ({
        type: "task.updated",
        ...place,
        task,
      })),
      ...(entry ? [{ type: "dialog.updated" as const, ...place, dialog: dialogRow(entry) }] : []),
    ];
  }
}

/** The questions that a commit asks, changes or closes. One that held a call may go on without it. */
const questionsNamed = ({ events }: Line<TreeEvent>): readonly QuestionId[] => [
  ...new Set(
    events.flatMap((event) =>
      (event.type.startsWith("question.") || event.type === "call.released") && "question" in event ? [event.question] : [],
    ),
  ),
];

/** From the project's own stream, readers get only tasks, notices and deletions. */
const isTold = ({ stream, line }: Committed["lines"][number]): boolean =>
  stream === PROJECT_STREAM &&
  line.events.some(({ type }) => type.startsWith("task.") || type.startsWith("notice.") || type === "tree.deleted");

/** `damaged`: why its log cannot be read. */
export function dialogRow({ rootId, agent, hot, due, questions = [], sharing: _, ...entry }: Entry, damaged?: string): DialogRow {
  return {
    rootId,
    selfId: rootId as string as DialogId,
    agentId: agent,
    needsDrive: hot,
    ...entry,
    questions,
    ...(due !== undefined && { due: new Date(due).toISOString() }),
    ...(damaged !== undefined && { damaged }),
  };
}
