import { type ProjectQuestion, projectPath, useDoor } from "@colloquy/react";
import { type answers, isCall, type Part, type Recorded, type TreeNode } from "@colloquy/schema";
import { useEffect, useMemo, useState } from "react";
import type { z } from "zod";
import { type Row, transcript } from "../dialog/transcript.ts";

type Node = z.infer<typeof TreeNode>;

export interface QuestionContext {
  /** From the main dialog down to the one that asks. */
  readonly path: readonly Node[];
  readonly rows: readonly Row[];
  /** What people decided in this tree before. */
  readonly decided: readonly { readonly id: string; readonly headline: string; readonly by: string; readonly answer: string }[];
  readonly call: Extract<Part, { call: string }> | undefined;
}

const EVENTS = 400;

/** What led to a question: who asked whom, what was said last, and what people had decided. Undefined until it is known. */
export function useContext(question: ProjectQuestion): QuestionContext | undefined {
  const door = useDoor();
  const { projectId, seq, call, id } = question;
  const { rootId, selfId } = question.dialog;
  const [found, setFound] = useState<{ readonly id: string; readonly events: readonly Recorded[]; readonly tree: Node | undefined }>();
  useEffect(() => {
    let isGone = false;
    const path = `${projectPath(projectId)}/dialogs/${rootId}`;
    const load = async () => {
      const [{ events }, tree] = await Promise.all([
        door.read<z.infer<typeof answers.EventList>>(`${path}/events?before=${seq + 1}&limit=${EVENTS}`),
        door.read<Node>(`${path}/tree`).catch(() => undefined),
      ]);
      if (!isGone) setFound({ id, events, tree });
    };
    load().catch(() => undefined); // the card says all that is needed; this is more
    return () => {
      isGone = true;
    };
  }, [door, projectId, rootId, seq, id]);

  return useMemo(() => {
    if (!found || found.id !== id) return undefined;
    const { events, tree } = found;
    const decided = events.flatMap(({ event }) => {
      if (event.type !== "question.closed" || event.as !== "answered") return [];
      const asked = events.find((one) => one.event.type === "question.asked" && one.event.question === event.question)?.event;
      const answer = [...(event.choice ?? []), event.content ?? "", event.verdict ?? ""].find((one) => one !== "");
      if (asked?.type !== "question.asked" || answer === undefined) return [];
      return [{ id: event.question as string, headline: asked.headline, by: event.by ?? "", answer }];
    });
    const parts = events.flatMap(({ event }) => (event.type === "step.ended" ? event.parts : []));
    return {
      path: tree ? (pathTo(tree, selfId) ?? [tree]) : [],
      rows: transcript(events, selfId).filter((row) => row.kind !== "question" || row.question !== id),
      decided,
      call: parts.find((part): part is Extract<Part, { call: string }> => isCall(part) && part.call === call),
    };
  }, [found, id, call, selfId]);
}

function pathTo(node: Node, selfId: string): readonly Node[] | undefined {
  if (node.selfId === selfId) return [node];
  for (const child of node.children) {
    const below = pathTo(child, selfId);
    if (below) return [node, ...below];
  }
  return undefined;
}
