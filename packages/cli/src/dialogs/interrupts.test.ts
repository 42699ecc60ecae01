import { expect, test, vi } from "vitest";
import { Interrupts } from "./interrupts.ts";

test("[K29] the first interrupt asks held work to close, the second ends at once", () => {
  const end = vi.fn<() => void>();
  const interrupts = new Interrupts(end);
  const letGo = interrupts.hold();
  interrupts.interrupt();
  expect(interrupts.signal.aborted).toBe(true);
  expect(end).not.toHaveBeenCalled();
  interrupts.interrupt();
  expect(end).toHaveBeenCalledOnce();
  letGo();
});

test("[K29] with nothing held an interrupt ends at once", () => {
  const end = vi.fn<() => void>();
  new Interrupts(end).interrupt();
  expect(end).toHaveBeenCalledOnce();
});
