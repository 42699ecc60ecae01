import { type Saying, useProject } from "@colloquy/react";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { useWords } from "../state/appearance.ts";

/** What an agent is saying right now: segments in the order in which they come. The record takes its place. */
export function LiveRow({
  saying,
  projectId,
  isFirst,
}: {
  readonly saying: Saying;
  readonly projectId: string;
  readonly isFirst: boolean;
}) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const name = agentName(saying.agent);
  return (
    <div className={`flex gap-3 ${isFirst ? "pt-4" : "pt-1"} pb-2`} data-live="">
      <span className="w-6 shrink-0">{isFirst && <AgentBadge agentId={saying.agent} name={name} />}</span>
      <div className="min-w-0 flex-1">
        {isFirst && <p className="font-semibold">{name}</p>}
        {saying.segments.length === 0 && <p className="working text-muted">{words.dialog.thinking}</p>}
        {saying.segments.map(({ kind, text, isFinished }, nth) =>
          kind === "thinking" ? (
            <p key={nth} className={`text-[13px] text-muted ${isFinished ? "" : "working"}`}>
              {isFinished ? words.dialog.thought : words.dialog.thinking}
            </p>
          ) : (
            <div key={nth} className={isFinished ? "" : "caret"}>
              <Markdown text={text} isLive={!isFinished} />
            </div>
          ),
        )}
      </div>
    </div>
  );
}
