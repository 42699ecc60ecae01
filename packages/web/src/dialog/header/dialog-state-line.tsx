import { useProject } from "@colloquy/react";
import { Link } from "../../parts/link.tsx";
import { StateGlyph } from "../../parts/state-glyph.tsx";
import { useWords } from "../../state/appearance.ts";
import { asksThrough, stateSentence } from "../state-sentence.ts";
import { Elapsed } from "./header-facts.tsx";
import type { HeaderProps } from "./use-dialog-header.ts";

/** What the dialog is doing, or the question that it waits for. */
export function DialogStateLine({ projectId, dialog, isPhone }: HeaderProps) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const { view } = dialog;
  const through = asksThrough(dialog);
  return (
    <p className="flex items-center gap-1 truncate text-[13px] text-muted">
      <StateGlyph state={through ? "asking" : view.state} />
      {through ? (
        <span className="truncate">
          {!isPhone &&
            words.stateSentence.through(agentName(view.agentId), through.path.map(({ agentId }) => agentName(agentId)).join(" → "))}{" "}
          <Link to={{ page: "inbox", projectId, questionId: through.id }} className="written underline underline-offset-2 hover:text-ink">
            {through.headline}
          </Link>
        </span>
      ) : (
        <span className="truncate">{stateSentence(dialog, words, agentName)}</span>
      )}
      {view.branch !== undefined && <span className="shrink-0">· {words.dialog.branch(view.branch)}</span>}
      <Elapsed dialog={dialog} />
    </p>
  );
}
