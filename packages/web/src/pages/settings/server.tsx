import { type Settings, useApi, useConnection } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { ResultLine } from "./result-line.tsx";
import { Line } from "./section.tsx";
import { useAttempt } from "./use-attempt.ts";

/** An MCP server; one whose program changed waits here for an owner. */
export function Server({ projectId, server }: { readonly projectId: string; readonly server: Settings["servers"][number] }) {
  const words = useWords();
  const api = useApi(projectId);
  const { role } = useConnection();
  const { result, start } = useAttempt(async () => {
    await api.allowServer(server.name);
    return { isGood: true, text: words.setup.allowed };
  });
  return (
    <Line>
      <div className="min-w-0 flex-1">
        <div className="font-mono text-[13px]">{server.name}</div>
        {server.why !== undefined && <p className="text-[13px] text-fail">✕ {server.why}</p>}
        <ResultLine result={result} />
      </div>
      {server.changed.length > 0 && role === "owner" && !result?.isGood && (
        <button type="button" className="button" onClick={start}>
          {words.setup.allow}
        </button>
      )}
    </Line>
  );
}
