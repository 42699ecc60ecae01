import { useProject } from "@colloquy/react";
import { AgentBadge } from "../../parts/agent-badge.tsx";
import { Link } from "../../parts/link.tsx";
import { useLanguage, useWords } from "../../state/appearance.ts";
import { duration, moment, money, short } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import type { Loaded } from "../dialog-column.tsx";
import { PanelSection } from "./panel-section.tsx";
import { stateSentence } from "../state-sentence.ts";

export function NowTab({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const { agentName } = useProject(projectId);
  const { view } = dialog;
  const facts: readonly (readonly [string, string])[] = [
    [words.panel.started, moment(Date.parse(view.createdAt), now, language)],
    [words.panel.worked, duration(view.workedMs, words)],
    [
      words.panel.usage,
      [words.dialog.tokens(short(view.usage.tokens)), ...(view.usage.cost === undefined ? [] : [money(view.usage.cost)])].join(" · "),
    ],
    [words.dialog.phase, words.dialog.phases[view.phase] ?? view.phase],
  ];
  return (
    <>
      <p className="mb-5 font-medium">{stateSentence(dialog, words, agentName)}</p>
      {view.pending.length > 0 && (
        <PanelSection title={words.panel.openAsks}>
          <ul className="flex flex-col gap-1">
            {view.pending.map((ask) => (
              <li key={ask.dialogId}>
                <Link
                  to={{ page: "dialog", projectId, dialogId: ask.dialogId }}
                  className="flex items-center gap-2 rounded-lg py-1 hover:underline"
                >
                  <AgentBadge agentId={ask.agentId} name={agentName(ask.agentId)} size={20} />
                  <span className="min-w-0 flex-1 truncate">{ask.headline}</span>
                  <span className="text-xs tabular-nums text-muted">{duration(now - Date.parse(ask.askedAt), words)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
      <PanelSection title={words.panel.participants}>
        <ul className="flex flex-col gap-1">
          {Object.keys(view.participants).map((id) => (
            <li key={id} className="flex items-center gap-2">
              <AgentBadge agentId={id} name={agentName(id)} size={20} />
              {agentName(id)}
            </li>
          ))}
        </ul>
      </PanelSection>
      {view.queuedMessages > 0 && <p className="mb-4 text-[13px] text-muted">{words.panel.queuedMessages(view.queuedMessages)}</p>}
      <dl className="grid grid-cols-[130px_1fr] gap-y-1.5 text-[13px]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {view.course > 1 && (
        <nav aria-label={words.dialog.courseJump} className="mt-5">
          <p className="text-[13px] text-muted">{words.dialog.courseJump}</p>
          <div className="mt-1 flex flex-wrap gap-1">
            {Array.from({ length: view.course }, (_, nth) => nth + 1).map((course) => (
              <Link
                key={course}
                to={{ page: "dialog", projectId, dialogId: view.selfId, course }}
                aria-label={words.dialog.course(course)}
                className={`button min-h-8 min-w-8 px-2 ${course === view.course ? "border-accent! text-accent!" : ""}`}
              >
                {course}
              </Link>
            ))}
          </div>
        </nav>
      )}
      <Link to={{ page: "timeline", projectId, dialogId: view.rootId }} className="button mt-5 w-full">
        {words.timeline}
      </Link>
    </>
  );
}
