import type { Choice } from "@colloquy/schema";
import { useWords } from "../../state/appearance.ts";
import { Markdown } from "../../parts/markdown.tsx";

/** Choices as cards with pros and cons. Selecting one sends nothing. */
export function ChoiceList({
  options,
  isMultiple,
  chosen,
  onChoose,
}: {
  readonly options: readonly Choice[];
  readonly isMultiple: boolean;
  readonly chosen: readonly number[];
  readonly onChoose: (nth: number) => void;
}) {
  const words = useWords();
  const preview = chosen.length > 0 ? options[chosen.at(-1) ?? -1]?.preview : undefined;
  return (
    <div>
      {isMultiple && <p className="mb-2 text-[13px] text-muted">{words.severalMayBeChosen}</p>}
      <div role={isMultiple ? "group" : "radiogroup"} aria-label={words.choices} className="flex flex-col gap-2">
        {options.map((option, nth) => {
          const isChosen = chosen.includes(nth);
          return (
            <button
              key={nth}
              type="button"
              role={isMultiple ? "checkbox" : "radio"}
              aria-checked={isChosen}
              onClick={() => onChoose(nth)}
              className={`flex min-h-12 items-start gap-3 rounded-xl border px-3.5 py-2.5 text-left transition-colors ${
                isChosen ? "border-accent bg-accent-soft ring-1 ring-accent" : "border-line bg-panel hover:border-edge"
              }`}
            >
              {isMultiple && (
                <span
                  aria-hidden="true"
                  className={`mt-[3px] flex size-4 shrink-0 items-center justify-center rounded border text-[11px] leading-none ${isChosen ? "border-accent bg-accent text-on-accent" : "border-edge"}`}
                >
                  {isChosen && "✓"}
                </span>
              )}
              <kbd aria-hidden="true" className={`mt-0.5 ${isChosen ? "border-accent! text-accent!" : ""}`}>
                {nth + 1}
              </kbd>
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <span className="written font-semibold">{option.label}</span>
                  {option.recommended && (
                    <span className="rounded-full bg-accent-soft px-2 py-px text-xs font-medium text-accent">{words.recommended}</span>
                  )}
                </span>
                {option.description !== undefined && <span className="written mt-0.5 block text-muted">{option.description}</span>}
                {((option.pros?.length ?? 0) > 0 || (option.cons?.length ?? 0) > 0) && (
                  <span className="mt-1 grid gap-x-6 gap-y-0.5 sm:grid-cols-2">
                    <Reasons reasons={option.pros ?? []} areFor />
                    <Reasons reasons={option.cons ?? []} areFor={false} />
                  </span>
                )}
              </span>
            </button>
          );
        })}
      </div>
      {preview !== undefined && (
        <div className="mt-3 rounded-xl border border-line bg-sunken p-4">
          {preview.includes("```") ? (
            <Markdown text={preview} />
          ) : (
            <pre tabIndex={0} className="overflow-x-auto font-mono text-[13px] leading-normal">
              {preview}
            </pre>
          )}
        </div>
      )}
    </div>
  );
}

function Reasons({ reasons, areFor }: { readonly reasons: readonly string[]; readonly areFor: boolean }) {
  return (
    <span className={`flex flex-col ${areFor ? "" : "text-muted"}`}>
      {reasons.map((reason) => (
        <span key={reason} className="flex gap-2">
          <span aria-hidden="true" className={`font-semibold ${areFor ? "text-accent" : ""}`}>
            {areFor ? "+" : "−"}
          </span>
          <span className="written">{reason}</span>
        </span>
      ))}
    </span>
  );
}
