import { useApi, useProject } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { money, short } from "../../state/duration.ts";
import { useFetched } from "../../state/use-fetched.ts";
import { Line, Section } from "./section.tsx";

/** Tokens, the share of them that came from a provider's cache, and cost by agent. */
export function Usage({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const api = useApi(projectId);
  const { agentName } = useProject(projectId);
  const [rows = []] = useFetched(async () => (await api.usage({ by: "agent" })).rows, [api]);
  if (rows.length === 0) return null;
  return (
    <Section title={words.setup.usage}>
      {rows.map((row) => (
        <Line key={row.key}>
          <span className="flex-1">{agentName(row.key)}</span>
          {row.cachedInput > 0 && (
            <span className="text-[13px] tabular-nums text-muted">
              {words.setup.cached(Math.round((100 * row.cachedInput) / row.input))}
            </span>
          )}
          <span className="text-[13px] tabular-nums text-muted">{words.dialog.tokens(short(row.input + row.output))}</span>
          <span className="w-20 text-right tabular-nums">{row.cost === undefined ? "–" : money(row.cost)}</span>
        </Line>
      ))}
    </Section>
  );
}
