import type { Loaded } from "../dialog/dialog-column.tsx";
import { nodeOf } from "../dialog/state-sentence.ts";
import { Link } from "../parts/link.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, moment } from "../state/duration.ts";
import type { Timeline } from "./timeline.ts";

/** The timeline as a table. */
export function LaneTable({
  model,
  tree,
  projectId,
  agentName,
}: {
  readonly model: Timeline;
  readonly tree: Loaded["tree"];
  readonly projectId: string;
  readonly agentName: (id: string) => string;
}) {
  const words = useWords();
  const [language] = useLanguage();
  return (
    <div className="h-full overflow-auto p-4" tabIndex={0} role="group" aria-label={words.time.table}>
      <table className="w-full text-left text-[13px]">
        <thead className="text-xs text-muted">
          <tr>
            {[words.time.lane, words.time.state, words.time.start, words.time.length, words.time.waitsFor].map((name, nth) => (
              <th key={name} scope="col" className={`border-b border-line px-2 py-2 font-medium ${nth >= 2 ? "max-sm:hidden" : ""}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {model.lanes.map((lane) => {
            const node = nodeOf(tree, lane.id);
            const worked = lane.marks
              .filter(({ kind }) => kind === "model" || kind === "tool")
              .reduce((sum, { from, to }) => sum + to - from, 0);
            const whom = node?.waitsFor.map((one) => (one === "person" ? words.stateSentence.person : agentName(one))).join(", ");
            return (
              <tr key={lane.id} className="border-b border-line">
                <th scope="row" className="px-2 py-2 font-normal" style={{ paddingLeft: 8 + lane.depth * 16 }}>
                  <Link to={{ page: "dialog", projectId, dialogId: lane.id }} className="hover:underline">
                    <span className="font-medium">{agentName(lane.agent)}</span> <span className="written text-muted">{lane.title}</span>
                  </Link>
                  <span className="block text-xs tabular-nums text-muted sm:hidden">
                    {moment(lane.start, Date.now(), language)} · {duration(worked, words)}
                  </span>
                </th>
                <td className="px-2 py-2 align-top whitespace-nowrap">
                  {node && (
                    <>
                      <StateGlyph state={node.state} /> {words.state[node.state]}
                      {node.state === "waiting" && <span className="block text-xs text-muted sm:hidden">{whom}</span>}
                    </>
                  )}
                </td>
                <td className="px-2 py-2 align-top tabular-nums whitespace-nowrap max-sm:hidden">
                  {moment(lane.start, Date.now(), language)}
                </td>
                <td className="px-2 py-2 align-top tabular-nums whitespace-nowrap max-sm:hidden">{duration(worked, words)}</td>
                <td className="px-2 py-2 align-top max-sm:hidden">{whom}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
