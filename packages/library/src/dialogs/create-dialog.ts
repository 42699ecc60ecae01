import type { Commands } from "@colloquy/runtime";
import { AgentId, Refused, RootId } from "@colloquy/schema";
import { readImages } from "./images.ts";
import type { NewDialog } from "./message.ts";
import type { ProjectTeam } from "../team/project-team.ts";
import { signature } from "./signed.ts";
import { requireText } from "./require-text.ts";
import { traceParent } from "./trace-parent.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** A new tree with its first message, in one commit. */
export async function createDialog(
  commands: Commands,
  team: ProjectTeam,
  options: NewDialog,
): Promise<{ readonly rootId: RootId; readonly seq: number }> {
  const content = requireText("content", options.content);
  const { id, mentions, title, taskDocPath, images = [], sessionId, trace, signal } = options;
  const agent = typeof options.agent === "object" ? options.agent.id : options.agent;
  signal?.throwIfAborted();
  await team.refresh();
  const responsible = responsibleOf(team, agent);
  const pictures = readImages(images);
  const creation = {
    content,
    ...(id !== undefined && { rootId: chosenId(id) }),
    ...signature(options),
    ...(agent !== undefined && { agent: AgentId.parse(agent) }),
    ...(mentions && { mentions: [...mentions] }),
    ...(pictures.length > 0 && { images: pictures.map(({ image }) => image) }),
    ...(sessionId !== undefined && { sessionId }),
    ...traceParent(trace),
    ...(title !== undefined && { title }),
    ...(taskDocPath !== undefined && { taskDocPath }),
  };
  const created = await unlessAborted(signal, () => commands.create(creation, responsible, pictures));
  if (!created.ok) throw new Refused(created.refusal);
  return created;
}

function chosenId(id: string): RootId {
  const read = RootId.safeParse(id);
  if (read.success) return read.data;
  throw new Refused({ code: "bad_request", message: `"${id.slice(0, 100)}" is no id of a dialog: it must be 32 lower-case hex digits.` });
}

function responsibleOf(team: ProjectTeam, named: string | undefined): AgentId {
  const id = named ?? team.defaultAgent();
  if (id !== undefined && team.member(id)) return AgentId.parse(id);
  const known = team.members().map((member) => member.id);
  const message =
    id === undefined ? "The team has no agents. Add one to colloquy.yaml." : `There is no agent "${id}". The team: ${known.join(", ")}.`;
  throw new Refused({ code: "unknown_agent", message });
}
