import { useProject } from "@colloquy/react";
import type { DialogRow as Dialog } from "@colloquy/schema";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Link } from "../parts/link.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, money } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import type { Words } from "../words.ts";

/** A dialog in the list, with the number of its open questions. */
export function DialogRow({ projectId, row }: { readonly projectId: string; readonly row: Dialog }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const { agentName } = useProject(projectId);
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to={{ page: "dialog", projectId: projectId, dialogId: row.rootId }}
        className="flex items-center gap-3 px-4 py-3 hover:bg-hover"
      >
        <StateGlyph state={row.state} />
        <span className="min-w-0 flex-1">
          <span className="written block truncate font-medium">{row.title}</span>
          <span className={`block text-[13px] ${row.damaged === undefined ? "truncate text-muted" : "wrap-anywhere text-fail"}`}>
            {row.damaged === undefined ? aboutRow(row, words) : words.damaged(row.damaged)}
          </span>
        </span>
        <span className="flex shrink-0 items-center gap-3 max-sm:flex-col max-sm:items-end max-sm:gap-1">
          {row.questions.length > 0 && (
            <span className="rounded-full bg-await-soft px-2 text-xs whitespace-nowrap text-await tabular-nums">
              {words.questionCount(row.questions.length)}
            </span>
          )}
          <span className="flex items-center gap-2 text-[13px] text-muted max-sm:hidden">
            <AgentBadge agentId={row.agentId} name={agentName(row.agentId)} size={20} />
            {agentName(row.agentId)}
          </span>
          <span className="w-16 text-right text-[13px] tabular-nums text-muted max-sm:hidden">
            {row.cost === undefined ? "–" : money(row.cost)}
          </span>
          <span className="w-20 text-right text-[13px] tabular-nums text-muted" title={new Date(row.lastModified).toLocaleString(language)}>
            {words.ago(duration(now - Date.parse(row.lastModified), words))}
          </span>
        </span>
      </Link>
    </li>
  );
}

const aboutRow = ({ state, questions, stopped }: Dialog, words: Words): string =>
  [words.state[state], questions[0]?.headline, stopped].filter((one) => one !== undefined).join(" · ");
