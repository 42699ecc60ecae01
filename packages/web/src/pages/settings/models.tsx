import { type Settings, useApi } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { short } from "../../state/duration.ts";
import { ResultLine } from "./result-line.tsx";
import { Line, Section } from "./section.tsx";
import { useAttempt } from "./use-attempt.ts";

export function Models({ projectId, settings }: { readonly projectId: string; readonly settings: Settings }) {
  const words = useWords();
  const names = [
    ...new Set([...settings.models.map(({ name }) => name), ...(settings.defaultModel === undefined ? [] : [settings.defaultModel])]),
  ];
  return (
    <Section title={words.setup.models} edit="colloquy.yaml: models">
      {names.map((name) => (
        <Model
          key={name}
          projectId={projectId}
          name={name}
          about={settings.models.find((one) => one.name === name)}
          isDefault={name === settings.defaultModel}
        />
      ))}
      {names.length === 0 && <Line>{words.setup.none}</Line>}
    </Section>
  );
}

function Model({
  projectId,
  name,
  about,
  isDefault,
}: {
  readonly projectId: string;
  readonly name: string;
  readonly about: Settings["models"][number] | undefined;
  readonly isDefault: boolean;
}) {
  const words = useWords();
  const api = useApi(projectId);
  const { result, isTrying, start } = useAttempt(async () => {
    const { ok, message } = await api.testModel(name);
    return { isGood: ok, text: message };
  });
  return (
    <Line>
      <div className="min-w-0 flex-1">
        <div className="font-mono text-[13px]">
          {name} {isDefault && <span className="font-sans text-xs text-muted">· {words.setup.default}</span>}
        </div>
        {about && (
          <div className="text-xs text-muted">
            {about.provider} · {about.id}
            {about.contextWindow !== undefined && ` · ${short(about.contextWindow)}`}
          </div>
        )}
        <ResultLine result={result} />
      </div>
      <button type="button" className="button" disabled={isTrying} onClick={start}>
        {isTrying ? words.setup.testing : words.setup.test}
      </button>
    </Line>
  );
}
