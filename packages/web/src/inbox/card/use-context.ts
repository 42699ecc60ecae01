import { type ProjectQuestion, useApi } from "@colloquy/react";
import { isCall, type Part, type Recorded, type TreeNode } from "@colloquy/schema";
import { useEffect, useMemo, useState } from "react";
import type { z } from "zod";
import type { Row } from "../../dialog/transcript/rows.ts";
import { transcript } from "../../dialog/transcript/transcript.ts";

type DialogNode = z.infer<typeof TreeNode>;

/** What a question said before its agent changed it. */
export interface FormerVersion {
  readonly headline: string;
  readonly text: string;
  /** When it was changed. */
  readonly until: number;
}

export interface QuestionContext {
  /** From the main dialog down to the one that asks. */
  readonly path: readonly DialogNode[];
  readonly rows: readonly Row[];
  /** What people decided in this tree before. */
  readonly decided: readonly { readonly id: string; readonly headline: string; readonly by: string; readonly answer: string }[];
  readonly call: Extract<Part, { call: string }> | undefined;
  /** Oldest first. */
  readonly former: readonly FormerVersion[];
}

const PAGE_EVENTS = 400;

/** A question's context: who asked whom, the last messages, and earlier decisions. Undefined while loading. */
export function useContext(question: ProjectQuestion): QuestionContext | undefined {
  const { dialogs } = useApi(question.projectId);
  const { seq, call, id, shown } = question;
  const { rootId, selfId } = question.dialog;
  const [found, setFound] = useState<{
    readonly id: string;
    readonly events: readonly Recorded[];
    readonly since: readonly Recorded[];
    readonly tree: DialogNode | undefined;
  }>();
  // Agents can revise a question only after somebody asked back.
  const discussed = question.thread.length;
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const [{ events }, since, tree] = await Promise.all([
        dialogs.events(rootId, { before: seq + 1, limit: PAGE_EVENTS }),
        discussed === 0 ? { events: [] } : dialogs.events(selfId, { after: seq - 1, limit: PAGE_EVENTS }),
        dialogs.tree(rootId).catch(() => undefined),
      ]);
      if (!isGone) setFound({ id, events, since: since.events, tree });
    };
    load().catch(() => undefined); // the card is complete without it
    return () => {
      isGone = true;
    };
  }, [dialogs, rootId, selfId, seq, id, discussed, shown]);

  return useMemo(() => {
    if (!found || found.id !== id) return undefined;
    const { events, since, tree } = found;
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
      former: formerVersions(since, id),
      call: parts.find((part): part is Extract<Part, { call: string }> => isCall(part) && part.call === call),
    };
  }, [found, id, call, selfId]);
}

/** All versions but the last, with the time of their replacement. */
function formerVersions(events: readonly Recorded[], id: string): readonly FormerVersion[] {
  const versions = events.flatMap(({ at, event }) =>
    (event.type === "question.asked" || event.type === "question.revised") && (event.question as string) === id
      ? [{ headline: event.headline, text: event.text, at: Date.parse(at) }]
      : [],
  );
  return versions.slice(0, -1).map(({ headline, text }, nth) => ({ headline, text, until: versions[nth + 1]?.at ?? 0 }));
}

function pathTo(node: DialogNode, selfId: string): readonly DialogNode[] | undefined {
  if (node.selfId === selfId) return [node];
  for (const child of node.children) {
    const below = pathTo(child, selfId);
    if (below) return [node, ...below];
  }
  return undefined;
}
