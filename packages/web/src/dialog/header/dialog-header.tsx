import { Link } from "../../parts/link.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import { DialogStateLine } from "./dialog-state-line.tsx";
import { DialogTitle } from "./dialog-title.tsx";
import { HeaderButtons } from "./header-buttons.tsx";
import { HeaderDialogs } from "./header-dialogs.tsx";
import { HeaderFacts } from "./header-facts.tsx";
import { type Header, type HeaderProps, useDialogHeader } from "./use-dialog-header.ts";

/** Title, state, and what can be done with a dialog. */
export function DialogHeader(props: HeaderProps) {
  const { projectId, dialogId, dialog, isPhone, isMain = false } = props;
  const header = useDialogHeader(props);
  const { act, problem, path } = header;
  return (
    <header className="border-b border-line bg-panel px-4 py-2 sm:px-5">
      {(path.length > 1 || isPhone) && <DialogPath projectId={projectId} isPhone={isPhone} header={header} />}
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <DialogTitle
            title={dialog.view.title}
            isMain={isMain}
            mayRename={header.mayAct}
            onRename={(title) => act(({ rename }) => rename(dialogId, { title }))}
          />
          <DialogStateLine {...props} />
        </div>
        <HeaderFacts projectId={projectId} dialog={dialog} />
        <HeaderButtons {...props} header={header} />
      </div>
      <Problem text={problem} className="mt-1" />
      <HeaderDialogs projectId={projectId} dialogId={dialogId} header={header} />
    </header>
  );
}

interface PathProps {
  readonly projectId: string;
  readonly isPhone: boolean;
  readonly header: Header;
}

/** The dialogs that asked for this one. */
function DialogPath({ projectId, isPhone, header: { path, agentName } }: PathProps) {
  const words = useWords();
  return (
    <nav aria-label={words.dialogs} className="flex items-center gap-1.5 text-xs text-muted">
      {isPhone && (
        <Link to={{ page: "dialogs", projectId }} className="-my-1 mr-1 py-1">
          ← {words.dialogs}
        </Link>
      )}
      {path.slice(0, -1).map((node) => (
        <span key={node.selfId} className="flex min-w-0 items-center gap-1.5">
          <Link to={{ page: "dialog", projectId, dialogId: node.selfId }} className="max-w-48 truncate hover:text-ink hover:underline">
            {agentName(node.agentId)} · {node.title}
          </Link>
          <span aria-hidden="true">→</span>
        </span>
      ))}
    </nav>
  );
}
