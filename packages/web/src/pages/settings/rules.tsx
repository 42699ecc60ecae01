import type { Settings } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { Line, Section } from "./section.tsx";

/** What agents may do without asking. */
export function Autonomy({ settings }: { readonly settings: Settings }) {
  const words = useWords();
  return (
    <Section title={words.setup.autonomy} edit="colloquy.yaml: autonomy">
      {Object.entries(settings.autonomy).map(([act, level]) => (
        <Line key={act}>
          <span className="flex-1">{words.setup.acts[act as keyof typeof words.setup.acts]}</span>
          <span className="text-muted">{words.setup.levels[level]}</span>
        </Line>
      ))}
      {Object.entries(settings.permissions).map(([pattern, permission]) => (
        <Line key={pattern}>
          <span className="min-w-0 flex-1 font-mono text-[13px]">{pattern}</span>
          <span className="text-muted">{words.setup.permissions[permission]}</span>
        </Line>
      ))}
    </Section>
  );
}

export function Limits({ settings }: { readonly settings: Settings }) {
  const words = useWords();
  return (
    <Section title={words.setup.limits} edit="colloquy.yaml: limits">
      {Object.entries(settings.limits).map(([name, value]) => (
        <Line key={name}>
          <span className="flex-1 font-mono text-[13px]">{name}</span>
          <span className="tabular-nums">{value.toLocaleString()}</span>
        </Line>
      ))}
      <Line>
        <span className="flex-1 font-mono text-[13px]">context</span>
        <span className="tabular-nums">
          {Math.round(settings.context.soft * 100)} % · {Math.round(settings.context.hard * 100)} %
        </span>
      </Line>
      {ages(settings.retention).map(([name, days]) => (
        <Line key={name}>
          <span className="flex-1 font-mono text-[13px]">retention.{name}</span>
          <span className="tabular-nums">{days.toLocaleString()} d</span>
        </Line>
      ))}
    </Section>
  );
}

const DAY_MS = 86_400_000;

/** Each with its days. */
const ages = (retention: Settings["retention"]): readonly (readonly [string, number])[] =>
  Object.entries(retention ?? {}).flatMap(([name, ms]) => (typeof ms === "number" ? [[name, ms / DAY_MS] as const] : []));
