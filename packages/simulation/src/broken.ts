/** An invariant that does not hold. `rule` is its id in docs/SPEC/simulation.md. */
export class Broken extends Error {
  override readonly name = "Broken";
  readonly rule: string;
  /** The first of this run, remembered even if something catches it. */
  static first: Broken | undefined;

  constructor(rule: string, message: string) {
    super(`[${rule}] ${message}`);
    this.rule = rule;
    Broken.first ??= this;
  }
}

export function demand(holds: unknown, rule: string, message: () => string): asserts holds {
  if (!holds) throw new Broken(rule, message());
}
