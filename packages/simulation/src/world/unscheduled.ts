import { Broken } from "../broken.ts";

type Kept = readonly [object, string, unknown];

/** Forbids real time, randomness and timers during a story, which would make it irreproducible. Returns a restore function. */
export function forbidUnscheduled(): () => void {
  const kept: Kept[] = [];
  const forbid = (owner: object, name: string): void => {
    kept.push([owner, name, Reflect.get(owner, name)]);
    const refuse = () => {
      throw new Broken("SI12", `${name} was called, and is not simulated`);
    };
    Reflect.set(owner, name, refuse);
  };
  for (const name of ["setTimeout", "setInterval", "setImmediate"]) forbid(globalThis, name);
  forbid(Date, "now");
  forbid(Math, "random");
  forbid(performance, "now");
  const onRejection = (error: unknown) => {
    void new Broken("SI12", `a failure that nobody deals with: ${error instanceof Error ? error.stack : String(error)}`);
  };
  process.on("unhandledRejection", onRejection);
  return () => {
    for (const [owner, name, value] of kept) Reflect.set(owner, name, value);
    process.off("unhandledRejection", onRejection);
  };
}
