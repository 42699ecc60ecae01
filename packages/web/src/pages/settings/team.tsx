import type { Settings } from "@colloquy/react";
import { AgentBadge } from "../../parts/agent-badge.tsx";
import { useWords } from "../../state/appearance.ts";
import { Line, Section } from "./section.tsx";

export function Team({ settings }: { readonly settings: Settings }) {
  const words = useWords();
  return (
    <Section title={words.setup.team} edit="colloquy.yaml: agents">
      {settings.agents.map(({ id, name, role, model, tools, isDefault }) => (
        <Line key={id}>
          <AgentBadge agentId={id} name={name} size={28} />
          <div className="min-w-0 flex-1">
            <div className="font-medium">
              {name} {isDefault && <span className="text-xs font-normal text-muted">· {words.setup.default}</span>}
            </div>
            <div className="line-clamp-2 text-[13px] text-muted">{role.replace(/\s+/g, " ").trim()}</div>
          </div>
          <div className="text-right font-mono text-xs text-muted">
            <div>{model ?? settings.defaultModel ?? "–"}</div>
            <div>{tools.join(", ")}</div>
          </div>
        </Line>
      ))}
    </Section>
  );
}
