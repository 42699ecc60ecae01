import { useConnection } from "@colloquy/react";
import { useEffect, useState } from "react";
import { useLanguage, useWords } from "../state/appearance.ts";
import { clock } from "../state/duration.ts";
import { signInProblem } from "../state/session.ts";

/** Shows that the page is offline and what is unsent. Short interruptions are not shown. */
export function ConnectionBar() {
  const words = useWords();
  const [language] = useLanguage();
  const { state, since, unsent } = useConnection();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    const timer = setTimeout(() => setLong(true), 700);
    return () => clearTimeout(timer);
  }, [state]);
  const isLost = state === "lost" && isLong;
  if (!isLost && state !== "refused" && unsent === 0) return null;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 border-b border-line bg-sunken px-4 py-2 text-[13px]">
      <span aria-hidden="true" className="working text-muted">
        ◌
      </span>
      {state === "refused" ? (
        <span>{words.connection.signedOut[signInProblem() ?? "none"]}</span>
      ) : (
        isLost && <span>{words.connection.lost(clock(since, language))}</span>
      )}
      {unsent > 0 && <span className="font-medium">{words.connection.unsent(unsent)}</span>}
    </div>
  );
}
