/** How long an item must have been in view, unchanged and without a key, before a key answers it. */
export const ARMED_AFTER_MS = 400;

/**
 * Whether keys may answer what is shown (U-S3). It is armed once it was in view, unchanged, for a while in which no key was
 * pressed; it stays so until it changes or leaves the view.
 */
export interface Arming {
  /** The visible item and its version. Undefined unless it is fully in view. */
  readonly shown: string | undefined;
  /** When it came into view, changed, or a key was pressed. */
  readonly since: number;
  readonly isArmed: boolean;
}

export const unarmed: Arming = { shown: undefined, since: 0, isArmed: false };

export function showing(arming: Arming, shown: string | undefined, now: number): Arming {
  return shown === arming.shown ? arming : { shown, since: now, isArmed: false };
}

/** Handles a key press: whether the item was armed, and the next state. */
export function pressed(arming: Arming, now: number): Arming {
  if (arming.shown === undefined) return arming;
  if (arming.isArmed || now - arming.since >= ARMED_AFTER_MS) return { ...arming, isArmed: true };
  return { ...arming, since: now };
}

export interface Pressed {
  readonly isComposing: boolean;
  readonly keyCode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

/** Composed, modified and repeated keys never answer (U-S2). */
export const isPlainKey = (event: Pressed): boolean =>
  !event.isComposing && event.keyCode !== 229 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;

const TYPED = new Set(["text", "search", "email", "url", "tel", "number", "password", "date", "time", "datetime-local"]);

/** Whether the element is a text field. */
export function isTextField(element: { tagName: string; type?: string; isContentEditable?: boolean } | null): boolean {
  if (!element) return false;
  if (element.isContentEditable === true) return true;
  if (element.tagName === "TEXTAREA" || element.tagName === "SELECT") return true;
  return element.tagName === "INPUT" && TYPED.has(element.type ?? "text");
}
