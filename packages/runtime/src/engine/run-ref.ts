import type { AgentId, DialogId, RootId } from "@colloquy/schema";

/** One agent at work in one dialog of one tree. */
export interface RunRef {
  readonly rootId: RootId;
  readonly dialog: DialogId;
  readonly agent: AgentId;
}

export const refKey = ({ rootId, dialog, agent }: RunRef): string => `${rootId}/${dialog}/${agent}`;

export function refOf(key: string): RunRef {
  const [rootId, dialog, agent] = key.split("/");
  return { rootId: rootId as RootId, dialog: dialog as DialogId, agent: agent as AgentId };
}
