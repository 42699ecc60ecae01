import { useApi } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { useFetched } from "../../state/use-fetched.ts";
import { Line, Section } from "./section.tsx";

/** The servers that share the project, if it is in a database. */
export function Nodes({ projectId }: { readonly projectId: string }) {
  const words = useWords().setup;
  const api = useApi(projectId);
  const [nodes] = useFetched(async () => (await api.nodes()).nodes, [api]);
  if (!nodes || nodes.length === 0) return null;
  return (
    <Section title={words.nodes}>
      {nodes.map(({ id, url, place, version, trees, alive }) => (
        <Line key={id}>
          <div className="min-w-0 flex-1">
            <div className="font-mono text-[13px]">{url ?? id}</div>
            <div className="text-[13px] text-muted">{[place, version].filter((part) => part !== undefined).join(" · ")}</div>
          </div>
          <span className="text-muted">{words.driven(trees)}</span>
          {alive ? <span>{words.alive}</span> : <span className="text-fail">✕ {words.gone}</span>}
        </Line>
      ))}
    </Section>
  );
}
