import { type Artifact, type Message, type Part, Role } from "@a2a-js/sdk";
import { type BridgeProject, type Said, Teller } from "@colloquy/bridge";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import { nextTask } from "./dialog-messages.ts";
import { clientsId, type TaskRef, taskId } from "./task-ref.ts";

/** What was said in a task so far: the same from the log as from a stream. */
export class TaskStory {
  readonly ref: TaskRef;
  readonly teller: Teller;
  /** The next task in the dialog has begun, so this one is over. */
  readonly isFollowed: boolean;
  /** When it was last changed. */
  readonly at: string | undefined;
  readonly #project: Pick<BridgeProject, "team">;
  readonly #artifacts = new Map<string, { readonly name: string; text: string }>();
  readonly #history: Message[] = [];

  /** `lines`: the whole log of the dialog's tree. */
  constructor(project: Pick<BridgeProject, "team">, ref: TaskRef, lines: readonly Line<TreeEvent>[]) {
    this.ref = ref;
    this.#project = project;
    this.teller = new Teller(ref.rootId as RootId, Math.max(0, ref.from - 1));
    const end = nextTask(lines, ref);
    this.isFollowed = end !== undefined;
    for (const line of until(lines, end)) {
      this.teller.commit(line);
      this.at = line.at;
    }
    for (const said of this.teller.take()) this.told(said);
  }

  get artifacts(): Artifact[] {
    return [...this.#artifacts].map(([artifactId, { name, text: value }]) => artifact(artifactId, name, value));
  }

  get history(): Message[] {
    return [...this.#history];
  }

  /** Takes what was said. Returns what it adds to an artifact, and whether the artifact is there already. */
  told(said: Said): { readonly more: Artifact; readonly append: boolean } | undefined {
    if (said.type === "message") {
      const id = clientsId(said.msgId) ?? `${taskId(this.ref)}.${this.#history.length}`;
      this.#history.push(message({ id, role: Role.ROLE_USER, ref: this.ref }, [text(said.text)]));
    }
    if (said.type !== "text") return undefined;
    const known = this.#artifacts.get(said.message);
    const name = known?.name ?? this.#project.team().find(({ id }) => id === said.agent)?.name ?? said.agent;
    if (known) known.text += said.text;
    else this.#artifacts.set(said.message, { name, text: said.text });
    return { more: artifact(said.message, name, said.text), append: known !== undefined };
  }
}

function* until(lines: readonly Line<TreeEvent>[], end: number | undefined): Generator<Line<TreeEvent>> {
  for (const line of lines) {
    if (end === undefined || line.seq + line.events.length <= end) yield line;
    else if (line.seq < end) yield { ...line, events: line.events.slice(0, end - line.seq) };
  }
}

export const text = (value: string): Part => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

const artifact = (artifactId: string, name: string, value: string): Artifact => ({
  artifactId,
  name,
  description: "",
  parts: [text(value)],
  metadata: undefined,
  extensions: [],
});

interface Envelope {
  readonly id: string;
  readonly role: Role;
  readonly ref: TaskRef;
}

export const message = ({ id, role, ref }: Envelope, parts: Part[]): Message => ({
  messageId: id,
  contextId: ref.rootId,
  taskId: taskId(ref),
  role,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
