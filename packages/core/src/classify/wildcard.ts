/** One step of a pattern. */
export type Step =
  /** This sign. */
  | { readonly sign: string }
  /** One sign, or with `often` any number of them, that `takes` accepts. */
  | { readonly takes: (sign: string) => boolean; readonly often?: boolean }
  /** The next `optional` steps may be left out. */
  | { readonly optional: number }
  /** Go back so many steps: what lies between may come again. */
  | { readonly back: number };

/**
 * Does the text fit the whole pattern? Every place at which the pattern may stand is followed at once, so the work is the length
 * of the text times that of the pattern, however many wildcards there are. A regular expression would try them one by one.
 */
export function fitsSteps(steps: readonly Step[], text: string): boolean {
  let places = new Set<number>();
  enter(steps, 0, places);
  for (const sign of text) {
    const next = new Set<number>();
    for (const place of places) take(steps, place, sign, next);
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(steps.length);
}

/** Adds the place, and those behind it that are reached without a sign. */
function enter(steps: readonly Step[], place: number, places: Set<number>): void {
  if (places.has(place)) return;
  places.add(place);
  const step = steps[place];
  if (!step) return;
  if ("optional" in step) {
    enter(steps, place + 1, places);
    enter(steps, place + 1 + step.optional, places);
  } else if ("back" in step) enter(steps, place - step.back, places);
  else if ("takes" in step && step.often) enter(steps, place + 1, places);
}

function take(steps: readonly Step[], place: number, sign: string, next: Set<number>): void {
  const step = steps[place];
  if (!step || "optional" in step || "back" in step) return;
  if ("sign" in step) {
    if (step.sign === sign) enter(steps, place + 1, next);
  } else if (step.takes(sign)) enter(steps, step.often ? place : place + 1, next);
}

/** A piece of a pattern that stands for itself. */
export const literally = (piece: string): readonly Step[] => Array.from(piece, (sign) => ({ sign }));
