import type { Committed, Entry, Project } from "@colloquy/library";
import {
  type DialogId,
  type DialogRow,
  type Line,
  PROJECT_STREAM,
  type ProjectEvent,
  type RootId,
  type ServerPacket,
  type StreamId,
  type TreeEvent,
} from "@colloquy/schema";
import { Frame } from "./frame.ts";
import type { Places } from "../places.ts";
import { Problem } from "../http/problem.ts";

/** A frame, and where a reader is who has had it. */
export type Placed = readonly [Frame, number];

const PLACES = 64;

/**
 * What concerns the whole project, in the order of commits. What is told again is made from the log by the same road as what is
 * told for the first time; only the places are remembered.
 */
export class Feed {
  readonly #projectId: string;
  readonly #project: Project;
  readonly #tell: (frames: readonly Placed[]) => void;
  readonly #report: (error: unknown) => void;
  readonly #places: Places;
  #told: Promise<void> = Promise.resolve();
  pos: number;

  constructor(
    projectId: string,
    project: Project,
    places: Places,
    tell: (frames: readonly Placed[]) => void,
    report: (error: unknown) => void,
  ) {
    this.#projectId = projectId;
    this.#project = project;
    this.#places = places;
    this.#tell = tell;
    this.#report = report;
    this.pos = project.health().pos;
  }

  committed({ pos, lines }: Committed): void {
    this.pos = Math.max(this.pos, pos);
    // The trees come last: where the file was torn, they are what can be found again.
    const told = [...lines.filter(isTold), ...lines.filter(({ stream }) => stream !== PROJECT_STREAM)];
    for (const { stream, line } of told) this.#places.add({ pos, rootId: stream, seq: line.seq, at: line.at });
    // One after the other, so that what is told is in the order of the commits.
    this.#told = this.#told
      .then(async () => {
        const frames: Placed[] = [];
        for (const { stream, line } of told) {
          for (const packet of await this.#packetsOf(stream, line)) frames.push([new Frame(packet), pos]);
        }
        if (frames.length > 0) this.#tell(frames);
      })
      .catch(this.#report);
  }

  /** Throws when something after this place is no longer remembered. */
  demand(after: number): void {
    if (after >= this.#places.floor) return;
    throw new Problem(
      "too_far_behind",
      `Too much has happened since ${after} to tell it again. Read the lists, then subscribe with after: ${this.pos}.`,
    );
  }

  /** The next few commits after this place. */
  async after(cursor: number): Promise<readonly Placed[]> {
    const page: Placed[] = [];
    for (const { pos, rootId, seq } of this.#places.after(cursor, PLACES)) {
      const packets = await this.#packetsAt(rootId, seq, pos);
      page.push(...packets.map((packet) => [new Frame(packet), pos] as const));
    }
    return page;
  }

  /** Of a tree that cannot be read only its row is told: who watches the project is told of all others. */
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

  /** Tasks that were made, taken, let go, changed or closed, each once; notices that were given or put away. */
  #projectPackets(line: Line<ProjectEvent>): readonly ServerPacket[] {
    const place = { projectId: this.#projectId, pos: line.pos };
    const tasks = new Set(line.events.flatMap((event) => ("task" in event ? [event.task] : [])));
    return [
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
    const place = { projectId: this.#projectId, pos: line.pos };
    const hasQuestions = line.events.some(({ type }) => type === "question.asked" || type === "question.closed");
    const changes = hasQuestions ? await this.#project.questions.changes(rootId, line) : undefined;
    const entry = this.#project.dialogs.entry(rootId);
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
      // Its questions are what a task is blocked by.
      ...(hasQuestions ? this.#project.tasks.of(rootId) : []).map((task): ServerPacket => ({
        type: "task.updated",
        ...place,
        task,
      })),
      ...(entry ? [{ type: "dialog.updated" as const, ...place, dialog: dialogRow(entry) }] : []),
    ];
  }
}

/** Of the project's own stream only tasks and notices concern whoever watches. */
const isTold = ({ stream, line }: Committed["lines"][number]): boolean =>
  stream === PROJECT_STREAM && line.events.some(({ type }) => type.startsWith("task.") || type.startsWith("notice."));

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
