import { useProject } from "@colloquy/react";
import type { EffectView } from "@colloquy/schema";
import { Link } from "../parts/link.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { usePersonName } from "../state/person-name.ts";
import { UndoButton } from "./undo-button.tsx";
import { SettleButtons } from "./settle-buttons.tsx";

const GLYPHS: Readonly<Record<EffectView["outcome"], string>> = { done: "✓", failed: "✕", unknown: "?", running: "…" };

/** One call: what, by whom, approved by whom, when, and how it ended. */
export function EffectItem({ projectId, effect }: { readonly projectId: string; readonly effect: EffectView }) {
  const words = useWords().effects;
  const [language] = useLanguage();
  const now = useNow(60_000);
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  const { call, selfId, agentId, tool, what, at, outcome, approved, receipt, changes, settled, undo, undoable } = effect;
  const facts = [
    ...(approved ? [approved.by === undefined ? words.byGrant : words.approvedBy(personName(approved.by))] : []),
    ...(settled ? [words.settledBy(settled.by === undefined ? "" : personName(settled.by), settled.note ?? "")] : []),
    ...(undo ? [[words.undo[undo.state], undo.receipt].filter(Boolean).join(": ")] : []),
  ];
  return (
    <li className="flex flex-col gap-1 border-b border-line px-4 py-2.5 last:border-0">
      <Link to={{ page: "dialog", projectId, dialogId: selfId }} className="flex items-baseline gap-3 hover:underline">
        <span
          role="img"
          aria-label={words.outcome[outcome]}
          title={words.outcome[outcome]}
          className={`w-4 shrink-0 text-center font-semibold ${outcome === "unknown" ? "text-await" : outcome === "failed" ? "text-fail" : "text-muted"}`}
        >
          {GLYPHS[outcome]}
        </span>
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium">{tool}</span> <code className="text-[13px]">{what}</code>
        </span>
        {changes !== undefined && <span className="shrink-0 text-xs tabular-nums text-muted">{changes}</span>}
        <span className="shrink-0 text-xs tabular-nums text-muted">{moment(Date.parse(at), now, language)}</span>
      </Link>
      <p className="truncate pl-7 text-[13px] text-muted">
        {[agentName(agentId), ...facts, ...(receipt === undefined ? [] : [receipt])].join(" · ")}
      </p>
      {undoable && <UndoButton projectId={projectId} call={call} />}
      {outcome === "unknown" && (
        <div className="pl-7">
          <SettleButtons projectId={projectId} call={call} />
        </div>
      )}
    </li>
  );
}
