import type { Role } from "@colloquy/schema";

/** Who asks. Comes from the credential, never from what was sent. */
export interface Caller {
  /** The name that answers and messages carry. */
  readonly user: string;
  /** Undefined in projects that are none of their business. */
  roleIn(projectId: string): Role | undefined;
  /** Before something is done in their name: what the settings say of them may have changed. */
  refresh(): Promise<void>;
}

/** Whoever has the server's own token, and the program that holds the project. */
export const OWNER: Caller = { user: "owner", roleIn: () => "owner", refresh: async () => undefined };
