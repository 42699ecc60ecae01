/** What `colloquy demo` plays: its first message, and a ready project that needs neither key nor network. */
export interface DemoStory {
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The lead's letter; the script writes it. */
export const demoLetter = "answers/1042.md";
