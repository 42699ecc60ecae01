import { useState } from "react";

/** How an attempt ended. */
export interface Result {
  readonly isGood: boolean;
  readonly text: string;
}

/** Something to try, such as a model: whether it runs, and how it ended. */
export function useAttempt(attempt: () => Promise<Result>) {
  const [result, setResult] = useState<Result>();
  const [isTrying, setTrying] = useState(false);
  const start = async () => {
    setTrying(true);
    setResult(undefined);
    try {
      setResult(await attempt());
    } catch (error) {
      setResult({ isGood: false, text: error instanceof Error ? error.message : String(error) });
    } finally {
      setTrying(false);
    }
  };
  return { result, isTrying, start: () => void start() };
}
