import { GivenDiff } from "../../parts/diff-view.tsx";
import type { EffectParts } from "./effect-parts.ts";

/** What approving will apply. */
export function CommandEffects({ heading, list, diffs, onSeen }: EffectParts & { readonly onSeen: () => void }) {
  return (
    <>
      <p className="text-[13px] font-medium">{heading}</p>
      <pre tabIndex={0} aria-label={heading} className="max-h-60 overflow-auto font-mono text-xs leading-5 whitespace-pre-wrap">
        {list}
      </pre>
      {diffs.map((diff, nth) => (
        <GivenDiff key={`${nth} ${diff.title}`} {...diff} {...(nth === diffs.length - 1 && { onSeen })} />
      ))}
    </>
  );
}
