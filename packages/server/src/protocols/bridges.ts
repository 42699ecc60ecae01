import type { BridgeProject } from "@colloquy/bridge";
import { mayAct, type Role } from "@colloquy/schema";
import type { Caller } from "../access/caller.ts";
import { demand } from "../api/context.ts";
import type { ServedProject } from "../served-project.ts";
import { Creations } from "./creations.ts";
import { libraryBridge } from "./library-bridge.ts";

export interface Bridged {
  readonly id: string;
  /** The caller's name there. */
  readonly by: string;
  readonly served: ServedProject;
  readonly bridge: BridgeProject;
}

/** The projects as a caller of another protocol reaches them. */
export class Bridges {
  readonly #served: readonly ServedProject[];
  readonly #pageUrl: () => string;
  readonly #creations = new Map<string, Creations>();

  constructor(served: readonly ServedProject[], pageUrl: () => string) {
    this.#served = served;
    this.#pageUrl = pageUrl;
  }

  /** The projects in which the caller has this role; refused if there is none. `protocol`: how the `msgId` of its messages begins. */
  of(caller: Caller, needs: Role, protocol: string): readonly Bridged[] {
    const own = this.#served.filter(({ id }) => caller.roleIn(id) !== undefined);
    const usable = own.filter(({ id }) => mayAct(caller.roleIn(id) ?? "viewer", needs));
    if (usable.length === 0) demand(caller, own[0]?.id ?? "", needs, mayAct);
    return usable.map((one) => ({
      id: one.id,
      by: caller.nameIn(one.id),
      served: one,
      bridge: this.as(one, caller.nameIn(one.id), protocol),
    }));
  }

  /** A project as somebody reaches it whose right to it is known. */
  as({ id, project }: ServedProject, by: string, protocol: string): BridgeProject {
    const key = `${protocol} ${id}`;
    const creations = this.#creations.get(key) ?? new Creations(project, protocol);
    this.#creations.set(key, creations);
    const pageOf = (question: string) => `${this.#pageUrl()}/p/${encodeURIComponent(id)}/q/${question}`;
    return libraryBridge(project, { by, creations, pageOf });
  }
}
