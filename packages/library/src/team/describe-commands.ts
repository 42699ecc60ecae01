import { commandNetwork, findOutSandbox, networkProblem, type SandboxStatus } from "@colloquy/runtime";
import { settingsIfAny } from "./settings.ts";

/** How commands are run here. */
export interface CommandsDescription {
  readonly sandbox: SandboxStatus;
  /** Why commands cannot run although the settings give them a network, and what to do. */
  readonly networkProblem?: string;
}

/** The project need not be opened. `lookForProblem` says why commands cannot have a network of their own. */
export async function describeCommands(
  dir: string,
  lookForProblem: () => string | undefined | Promise<string | undefined> = networkProblem,
): Promise<CommandsDescription> {
  const sandbox = await findOutSandbox();
  // Unreadable settings give no command a network; they are reported elsewhere.
  const settings = await settingsIfAny(dir).catch(() => undefined);
  const hasOwnNetwork = settings !== undefined && commandNetwork(settings.config.shell) === "own";
  const problem = sandbox.isIsolated && hasOwnNetwork ? await lookForProblem() : undefined;
  return { sandbox, ...(problem !== undefined && { networkProblem: problem }) };
}
