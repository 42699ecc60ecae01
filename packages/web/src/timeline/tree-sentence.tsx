import type { Loaded } from "../dialog/dialog-column.tsx";
import { allOf, nodeOf } from "../dialog/state-sentence.ts";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";

type DialogNode = NonNullable<Loaded["tree"]>;

/** The tree's state in one sentence: who is working, or what everything waits for. */
export function TreeSentence({
  dialog,
  projectId,
  agentName,
}: {
  readonly dialog: Loaded;
  readonly projectId: string;
  readonly agentName: (id: string) => string;
}) {
  const words = useWords();
  if (!dialog.tree) return null;
  const nodes = allOf(dialog.tree);
  const count = (state: DialogNode["state"]) => nodes.filter((node) => node.state === state).length;
  const asking = nodes.filter(({ questions }) => questions.length > 0);
  const atWork = count("working");
  const [question] = asking.flatMap(({ questions, selfId }) => questions.map((one) => ({ ...one, selfId })));
  if (atWork === 0 && question) {
    const chain = nodes.filter(({ state }) => state === "waiting").map(({ agentId }) => agentName(agentId));
    const asker = nodeOf(dialog.tree, question.selfId);
    return (
      <>
        <span className="font-medium text-await">◆ {words.time.everythingWaits}</span>:{" "}
        {[...chain.slice(0, 3), asker ? agentName(asker.agentId) : ""].filter((one) => one !== "").join(" → ")} →{" "}
        <Link to={{ page: "inbox", projectId, questionId: question.id }} className="underline underline-offset-2">
          {question.headline}
        </Link>
      </>
    );
  }
  const parts = [
    ...(atWork > 0 ? [words.time.atWork(atWork)] : []),
    ...(asking.length > 0 ? [words.time.waitsForYou(asking.length)] : []),
    ...(count("stopped") > 0 ? [words.time.stopped(count("stopped"))] : []),
  ];
  return <>{parts.length > 0 ? parts.join(" · ") : words.time.quiet}</>;
}
