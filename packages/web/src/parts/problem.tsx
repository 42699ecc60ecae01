/** Why an action failed, shown beside its control; renders nothing if there is no problem. `isBoxed`: more conspicuous. */
export function Problem({ text, isBoxed = false, className = "" }: ProblemProps) {
  if (text === undefined) return null;
  const box = isBoxed ? "rounded-lg border border-fail bg-fail-soft px-3 py-2" : "";
  return (
    <p role="alert" className={`${className} ${box} text-[13px] text-fail`}>
      {text}
    </p>
  );
}

interface ProblemProps {
  readonly text: string | undefined;
  readonly isBoxed?: boolean;
  readonly className?: string;
}
