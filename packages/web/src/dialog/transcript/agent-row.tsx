import type { ReactNode } from "react";
import { AgentBadge } from "../../parts/agent-badge.tsx";
import { useLanguage } from "../../state/appearance.ts";
import { clock } from "../../state/duration.ts";
import type { Row, SayingRow } from "./rows.ts";

/** Consecutive steps of one agent form one block under its name. */
export function AgentRow({
  row,
  before,
  name,
  children,
}: {
  readonly row: SayingRow;
  readonly before: Row | undefined;
  readonly name: string;
  readonly children: ReactNode;
}) {
  const [language] = useLanguage();
  const isFirst = !(before && "agent" in before && before.agent === row.agent) && before?.kind !== "calls";
  return (
    <div className={`flex gap-3 ${isFirst ? "pt-4" : "pt-1"} pb-1`}>
      <span className="w-6 shrink-0">{isFirst && <AgentBadge agentId={row.agent} name={name} />}</span>
      <div className="min-w-0 flex-1">
        {isFirst && (
          <p className="flex items-baseline gap-2">
            <span className="font-semibold">{name}</span>
            <span className="text-xs tabular-nums text-muted">{clock(row.at, language)}</span>
          </p>
        )}
        {children}
      </div>
    </div>
  );
}
