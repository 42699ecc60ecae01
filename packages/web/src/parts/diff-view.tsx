import { lineDiff } from "@colloquy/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../state/appearance.ts";

const MARKS = { same: " ", added: "+", removed: "−", gap: "⋯" } as const;
const ROWS = { same: "", added: "bg-accent-soft", removed: "bg-sunken text-muted line-through decoration-1", gap: "text-muted" } as const;
const FOLDED_FROM_LINES = 200;

interface DiffLine {
  readonly kind: keyof typeof MARKS;
  readonly text: string;
  readonly number: number | undefined;
}

interface Shown {
  readonly title: string;
  /** Its last line has been in view. */
  readonly onSeen?: () => void;
}

/** A change of a text, line by line. */
export function DiffView({ before, after, ...shown }: Shown & { readonly before: string; readonly after: string }) {
  return <GivenDiff text={useMemo(() => lineDiff(before, after).text, [before, after])} {...shown} />;
}

/** A change as text: `+`, `-` and a space begin its lines, `@@` gives their position. */
export function GivenDiff({ text, ...shown }: Shown & { readonly text: string }) {
  return <DiffLines lines={useMemo(() => parsed(text), [text])} {...shown} />;
}

function parsed(text: string): readonly DiffLine[] {
  let number = 1;
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const place = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)?.[1];
      if (place !== undefined) {
        number = Number(place);
        return { kind: "gap", text: "", number: undefined } as const;
      }
      if (line.startsWith("-")) return { kind: "removed", text: line.slice(1), number: undefined } as const;
      return { kind: line.startsWith("+") ? "added" : "same", text: line.slice(1), number: number++ } as const;
    })
    .filter((line, nth, all) => line.kind !== "gap" || nth > 0 || (all[1]?.number ?? 1) > 1); // there is nothing before the first line
}

function DiffLines({ lines, title, onSeen }: Shown & { readonly lines: readonly DiffLine[] }) {
  const words = useWords();
  const [isOpen, open] = useState(false);
  const shown = isOpen ? lines : lines.slice(0, FOLDED_FROM_LINES);
  const end = useRef<HTMLDivElement>(null);
  const isWhole = shown.length === lines.length;
  const seen = useRef(onSeen);
  seen.current = onSeen;
  useEffect(() => {
    if (!isWhole || !end.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && seen.current?.());
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isWhole, lines]);
  const count = (kind: "added" | "removed") => lines.filter((line) => line.kind === kind).length;
  return (
    <figure className="overflow-hidden rounded-lg border border-line">
      <figcaption className="flex items-center justify-between gap-3 border-b border-line bg-sunken px-3 py-1.5 font-mono text-xs">
        <span className="truncate">{title}</span>
        <span className="shrink-0 tabular-nums text-muted">
          +{count("added")} −{count("removed")}
        </span>
      </figcaption>
      <div className="max-h-96 overflow-auto bg-panel py-1 font-mono text-xs leading-5" tabIndex={0} role="group" aria-label={title}>
        {shown.map((line, nth) => (
          <div key={nth} className={`flex min-w-max gap-3 px-3 ${ROWS[line.kind]}`}>
            <span className="w-8 shrink-0 select-none text-right tabular-nums text-muted">{line.number}</span>
            <span className="select-none">{MARKS[line.kind]}</span>
            <span className="whitespace-pre">{line.text}</span>
          </div>
        ))}
        <div ref={end} className="h-px" />
        {!isWhole && (
          <button type="button" className="button button-plain ml-2" onClick={() => open(true)}>
            {words.approval.showAll} ({words.approval.lines(lines.length)})
          </button>
        )}
      </div>
    </figure>
  );
}
