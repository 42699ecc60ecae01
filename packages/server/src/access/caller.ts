import type { Role } from "@colloquy/schema";

/** The sender of a request, known from the credentials, never from the body. */
export interface Caller {
  /** The person's name in the first project that knows them. */
  readonly user: string;
  /** The name on their answers and messages in a project. Another project may give the same token another name. */
  nameIn(projectId: string): string;
  /** True if the token is the server's own: its holder may make sign-in links and replace the token. */
  readonly isServerOwner?: boolean;
  /** Another node of a project. */
  readonly isNode?: boolean;
  /** Undefined in projects without them as a user, and everywhere once the token or session has ended. */
  roleIn(projectId: string): Role | undefined;
  /** Called before each action, because their role in the settings may have changed. */
  refresh(): Promise<void>;
}
