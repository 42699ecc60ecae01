import { useApi, useConnection } from "@colloquy/react";
import { useRef } from "react";
import { saveFile } from "../../parts/save-file.ts";
import { useWords } from "../../state/appearance.ts";
import { ResultLine } from "./result-line.tsx";
import { Line, Section } from "./section.tsx";
import { useAttempt } from "./use-attempt.ts";

/** All dialogs in one file, and back. */
export function Care({ projectId }: { readonly projectId: string }) {
  const words = useWords().care;
  const api = useApi(projectId);
  const { role } = useConnection();
  const input = useRef<HTMLInputElement>(null);
  const exporting = useAttempt(async () => {
    await saveFile(`${projectId}.colloquy.gz`, await api.dialogs.exportAll());
    return { isGood: true, text: words.exported };
  });
  const importing = useAttempt(async () => {
    const file = input.current?.files?.[0];
    if (!file) return { isGood: false, text: words.noFile };
    const { dialogs } = await api.import(file);
    return { isGood: true, text: words.imported(dialogs.length) };
  });
  if (role !== "owner") return null;
  return (
    <Section title={words.title}>
      <Line>
        <div className="min-w-0 flex-1">
          <p>{words.exportAbout}</p>
          <ResultLine result={exporting.result} />
        </div>
        <button type="button" className="button" disabled={exporting.isTrying} onClick={exporting.start}>
          {words.exportAll}
        </button>
      </Line>
      <Line>
        <div className="min-w-0 flex-1">
          <p>{words.importAbout}</p>
          <ResultLine result={importing.result} />
        </div>
        <input ref={input} type="file" aria-label={words.importFile} className="hidden" onChange={importing.start} />
        <button type="button" className="button" disabled={importing.isTrying} onClick={() => input.current?.click()}>
          {words.importFile} …
        </button>
      </Line>
    </Section>
  );
}
