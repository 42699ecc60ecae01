import { Link } from "../../parts/link.tsx";
import { KindGlyph, StateGlyph } from "../../parts/state-glyph.tsx";
import { useWords } from "../../state/appearance.ts";
import { duration } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import type { Loaded } from "../dialog-column.tsx";

type DialogNode = NonNullable<Loaded["tree"]>;

/** Who waits for whom, live. */
export function TreePicture({
  tree,
  projectId,
  current,
  agentName,
}: {
  readonly tree: DialogNode;
  readonly projectId: string;
  readonly current: string;
  readonly agentName: (id: string) => string;
}) {
  return (
    <ul>
      <Branch node={tree} projectId={projectId} current={current} agentName={agentName} />
    </ul>
  );
}

function Branch({
  node,
  projectId,
  current,
  agentName,
}: {
  readonly node: DialogNode;
  readonly projectId: string;
  readonly current: string;
  readonly agentName: (id: string) => string;
}) {
  const words = useWords();
  const now = useNow(1_000);
  return (
    <li>
      <Link
        to={{ page: "dialog", projectId, dialogId: node.selfId }}
        aria-current={node.selfId === current ? "page" : undefined}
        className={`flex items-baseline gap-1.5 rounded-lg px-2 py-1.5 ${node.selfId === current ? "bg-accent-soft" : "hover:bg-hover"}`}
      >
        <StateGlyph state={node.state} />
        <span className="shrink-0 font-medium">{agentName(node.agentId)}</span>
        <span className="min-w-0 flex-1 truncate text-[13px] text-muted">{node.session ?? node.title}</span>
      </Link>
      {(node.children.length > 0 || node.questions.length > 0) && (
        <ul className="ml-3.5 border-l border-line pl-2">
          {node.questions.map((question) => (
            <li key={question.id}>
              <Link
                to={{ page: "inbox", projectId, questionId: question.id }}
                className="flex items-baseline gap-1.5 rounded-lg px-2 py-1 text-[13px] hover:bg-hover"
              >
                <KindGlyph kind={question.kind as "question"} />
                <span className="min-w-0 flex-1 truncate">{question.headline}</span>
                <span className="text-xs text-muted">{duration(now - Date.parse(question.askedAt), words)}</span>
              </Link>
            </li>
          ))}
          {node.children.map((child) => (
            <Branch key={child.selfId} node={child} projectId={projectId} current={current} agentName={agentName} />
          ))}
        </ul>
      )}
    </li>
  );
}
