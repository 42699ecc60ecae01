import type { AgentView } from "@colloquy/core";
import { type CallId, Fault } from "@colloquy/schema";
import type { RunningCall } from "../calls/running-call.ts";
import type { DocumentWriter } from "../documents/document-writer.ts";
import type { Listeners, LiveEvent, SegmentEvent } from "../watch/live.ts";
import type { Pauses } from "../watch/pauses.ts";
import type { Choose, Outcome } from "./commit.ts";
import type { Deps } from "./deps.ts";
import type { Lanes } from "./lane.ts";
import type { LiveTree } from "./live-tree.ts";
import { mayDrive, type ProjectContext } from "./project-context.ts";
import type { Rulebook } from "./rulebook.ts";
import type { RunRef } from "./run-ref.ts";
import type { Trees } from "./trees.ts";
import type { Writer } from "./writer.ts";

/** What all runs of this process share. */
export interface SharedByRuns {
  readonly lanes: Lanes;
  readonly pauses: Pauses;
  readonly live: Listeners<LiveEvent>;
  /** Calls that are running, or that wait for a person's answer to their tool. */
  readonly calls: Map<CallId, RunningCall>;
  readonly documents: DocumentWriter;
  /** False for a process that drives only the trees it touches. */
  readonly drivesAll: boolean;
}

/** One run being driven: its agent, its tree and what it works with. */
export class RunContext implements ProjectContext {
  readonly deps: Deps;
  readonly rulebook: Rulebook;
  readonly trees: Trees;
  readonly writer: Writer;
  readonly closing: AbortSignal;
  readonly shared: SharedByRuns;
  readonly tree: LiveTree;
  readonly ref: RunRef;

  constructor(project: ProjectContext, shared: SharedByRuns, tree: LiveTree, ref: RunRef) {
    this.deps = project.deps;
    this.rulebook = project.rulebook;
    this.trees = project.trees;
    this.writer = project.writer;
    this.closing = project.closing;
    this.shared = shared;
    this.tree = tree;
    this.ref = ref;
  }

  /** Commits to the run's tree something that has already happened. */
  record(choose: Choose): Promise<Outcome> {
    if (!mayDrive(this, this.ref.rootId)) return Promise.reject(drivenElsewhere());
    return this.writer.record(this.ref.rootId, choose);
  }

  /** A new id within the run's tree. */
  newId(): string {
    return this.rulebook.idIn(this.ref.rootId);
  }

  /** What the run's agent is shown. */
  view(): Promise<AgentView> {
    return this.tree.view(this.deps.store, this.ref);
  }

  /** Notifies live listeners. `genseq`: the event's generation, 0 for none. */
  tell(event: SegmentEvent, genseq: number): void {
    const { live } = this.shared;
    if (live.size === 0) return;
    const { rootId, dialog, agent } = this.ref;
    const course = this.tree.state.dialogs.get(dialog)?.course ?? 1;
    live.tell({ ...event, dialog: { rootId, selfId: dialog }, agent, course, genseq });
  }

  /** The run's agent is not in the team. A process that drives only what it touches leaves the run to one that knows the agent. */
  async agentGone(): Promise<void> {
    const texts = this.rulebook.texts();
    if (this.shared.drivesAll) await this.writer.halt(this.ref, "agent_gone", texts.agentGone(this.ref.agent));
    else throw new Fault("agent_unknown", "never", texts.agentUnknown(this.ref.agent));
  }
}

/** The node that drives the tree now will find the same. */
const drivenElsewhere = (): Fault => new Fault("log_conflict", "now", "Another node drives this dialog now.");
