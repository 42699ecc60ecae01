import {
  type ActRules,
  deletedText,
  grantFor,
  NO_PAPERS,
  type Papers,
  type Project,
  type ProjectGrant,
  promptHead,
  type Rules,
  type Texts,
  texts,
  type Tree,
} from "@colloquy/core";
import { type CallPart, type DialogId, type RootId, runKey } from "@colloquy/schema";
import { actRules } from "../calls/act-rules.ts";
import type { TeamMember } from "../team/team.ts";
import type { LiveRoster } from "../watch/live-roster.ts";
import { projectPlace } from "../watch/project-place.ts";
import type { ProjectStream } from "../watch/project-stream.ts";
import type { Deps } from "./deps.ts";
import { type LiveTree, toolOf } from "./live-tree.ts";
import type { RunRef } from "./run-ref.ts";

/** What decisions depend on besides a tree: settings, team, texts, grants and the time, as they are now. */
export class Rulebook {
  readonly roster: LiveRoster;
  readonly #deps: Deps;
  readonly #project: ProjectStream;

  constructor(deps: Deps, project: ProjectStream, roster: LiveRoster) {
    this.#deps = deps;
    this.#project = project;
    this.roster = roster;
  }

  texts(): Texts {
    return texts[this.#deps.team().language];
  }

  /** `live`: for decisions that depend on running work. */
  rules(live?: LiveTree): Rules {
    return {
      at: this.#deps.clock.now(),
      limits: this.#deps.team().limits,
      texts: this.texts(),
      team: this.roster,
      tasks: () => this.#project.state.tasks,
      sections: () => this.#project.state.sections,
      atWork: atWorkIn(live),
      place: projectPlace(this.#deps.dir),
    };
  }

  head(tree: Tree, dialog: DialogId, member: TeamMember, papers: Papers = NO_PAPERS): readonly string[] {
    return promptHead(tree, dialog, {
      member,
      team: this.#deps.team().members(),
      texts: this.texts(),
      asksInText: member.asks === "text",
      hasFreshBoots: member.fbrEffort > 0,
      papers,
      at: this.#deps.clock.now(),
      autonomy: this.actRules(tree).autonomy,
      missing: member.missing?.() ?? [],
    });
  }

  /** The settings for the calls of a tree. */
  actRules(tree: Tree): ActRules {
    return actRules(this.#deps, tree);
  }

  /** A new id within a tree. Its middle identifies the tree, so that a dialog or question leads to it; its end is random. */
  idIn(rootId: RootId): string {
    const id = this.#deps.newId();
    return id.slice(0, 12) + rootId.slice(-8) + id.slice(20);
  }

  /** Standing approvals of the whole project. */
  grants(): readonly ProjectGrant[] {
    return this.#project.state.grants;
  }

  isDeleted(id: string): boolean {
    return this.#project.state.deleted.has(id);
  }

  /** Questions that outlive their trees. */
  keptQuestions(): Project["kept"] {
    return this.#project.state.kept;
  }

  /** Why there is no such dialog. */
  whyMissing(id: string): string {
    return deletedText(id as RootId, this.#project.state);
  }

  /** The standing approval that covers this call of the tree, if any. */
  grantFor({ rootId, copied }: Tree, { dialog }: RunRef, part: CallPart, nowMs = this.#deps.clock.now()): ProjectGrant | undefined {
    return grantFor(this.grants(), { rootId, dialog, place: projectPlace(this.#deps.dir), holds: copied?.holds }, part, nowMs);
  }
}

/** What the runs of a tree are doing now. */
export const atWorkIn =
  (live: LiveTree | undefined): Rules["atWork"] =>
  (dialog, agent) => {
    const flight = live?.flights.get(runKey(dialog, agent));
    return flight && (toolOf(flight) ?? { tool: undefined, sinceMs: flight.startedAt });
  };
