import type { Settings } from "@colloquy/react";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { useWords } from "../state/appearance.ts";

interface Props {
  readonly agents: Settings["agents"];
  readonly chosen: string | undefined;
  readonly onChoose: (agentId: string) => void;
}

/** Who leads the dialog. */
export function AgentChoice({ agents, chosen, onChoose }: Props) {
  const words = useWords();
  return (
    <fieldset>
      <legend className="mb-2 text-[13px] text-muted">{words.create.whom}</legend>
      <div role="radiogroup" aria-label={words.create.whom} className="grid gap-2 sm:grid-cols-2">
        {agents.map(({ id, name, role }) => (
          <button
            key={id}
            type="button"
            role="radio"
            aria-checked={chosen === id}
            onClick={() => onChoose(id)}
            className={`flex items-start gap-3 rounded-xl border p-3 text-left ${chosen === id ? "border-accent bg-accent-soft ring-1 ring-accent" : "border-line bg-panel hover:border-edge"}`}
          >
            <AgentBadge agentId={id} name={name} size={28} />
            <span className="min-w-0">
              <span className="block font-medium">{name}</span>
              <span className="line-clamp-2 text-[13px] text-muted">{role}</span>
            </span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
