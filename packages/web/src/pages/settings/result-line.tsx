import type { Result } from "./use-attempt.ts";

export const ResultLine = ({ result }: { readonly result: Result | undefined }) =>
  result && (
    <p role="status" className={`mt-1 text-[13px] ${result.isGood ? "text-accent" : "text-fail"}`}>
      {result.isGood ? "✓" : "✕"} {result.text}
    </p>
  );
