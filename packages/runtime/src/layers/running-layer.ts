import { existsSync, readdirSync } from "node:fs";
import { removeLayers, sealLayer } from "../tools/files/files-job.ts";
import { gitPrograms, learnGitPrograms } from "../tools/protected/git-programs.ts";
import { ownCode } from "../tools/protected/own-code.ts";
import type { CommandLayer } from "../tools/shell/sandbox.ts";
import { canClone, copyProject } from "./copy.ts";
import type { GitSandbox } from "./judge/git/git-reader.ts";
import { LayerFolder } from "./layer-folder.ts";
import { madeByAgents } from "./judge/made-by-agents.ts";
import { findOutOverlay, inOverlay, type Overlay, overlayFor } from "./overlay.ts";
import type { Sealed } from "./judge/seal.ts";

/** The layer of one command, from before it runs until it is sealed or gone. */
export class RunningLayer implements CommandLayer {
  readonly #folder: LayerFolder;
  readonly #overlay: Overlay | undefined;
  readonly #sinceNs: bigint;
  readonly #copiedNs: bigint;

  private constructor(folder: LayerFolder, overlay: Overlay | undefined, sinceNs: bigint, copiedNs: bigint) {
    this.#folder = folder;
    this.#overlay = overlay;
    this.#sinceNs = sinceNs;
    this.#copiedNs = copiedNs;
  }

  /** None if neither an overlay nor a copy with shared blocks is possible. */
  static async begin(root: string, callId: string, signal: AbortSignal): Promise<RunningLayer | undefined> {
    if (LayerFolder.problemAt(root) !== undefined) return undefined;
    const overlay = await findOutOverlay(root);
    if (!overlay && !canClone(root)) return undefined;
    const folder = new LayerFolder(root, callId);
    const sinceNs = folder.make();
    return overlay ? new RunningLayer(folder, overlay, sinceNs, 0n) : RunningLayer.#copy(folder, sinceNs, signal);
  }

  /** Tests what `isPossible` needs, without blocking the process. */
  static async tryOut(root: string): Promise<void> {
    if (LayerFolder.problemAt(root) === undefined) await findOutOverlay(root);
  }

  /** Would a command here get a layer? An overlay that works is remembered per file system; otherwise it is tested again. */
  static isPossible(root: string): boolean {
    if (LayerFolder.problemAt(root) !== undefined) return false;
    return overlayFor(root) !== undefined || canClone(root);
  }

  /** A whole copy, where an overlay hits its limits. Undefined: the project is too large, or not fully readable. */
  static async beginCopy(root: string, callId: string, signal: AbortSignal): Promise<RunningLayer | undefined> {
    const folder = new LayerFolder(root, callId);
    return RunningLayer.#copy(folder, folder.make(), signal);
  }

  static async #copy(folder: LayerFolder, sinceNs: bigint, signal: AbortSignal): Promise<RunningLayer | undefined> {
    const copiedNs = await copyProject(folder, signal);
    if (copiedNs !== undefined) return new RunningLayer(folder, undefined, sinceNs, copiedNs);
    await removeLayers(folder.root, [folder.callId]);
    return undefined;
  }

  /** Folders can't be renamed, nor files of other owners written. */
  get hasLimits(): boolean {
    return this.#overlay?.isPrivileged === false;
  }

  get merged(): string {
    return this.#folder.merged;
  }

  get isInUserNamespace(): boolean {
    return this.hasLimits;
  }

  enter(command: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
    if (this.#overlay) return inOverlay(this.#overlay, this.#folder, command);
    const [file = "", ...args] = command;
    return { file, args };
  }

  /** Reads the command's effects, once it and everything it started have ended. */
  async seal(git: GitSandbox | undefined, programs: readonly string[], signal: AbortSignal): Promise<Sealed> {
    if (this.#isUntouched()) return { kind: "unchanged", refused: [] };
    await learnGitPrograms(this.#folder.root);
    return sealLayer(
      {
        root: this.#folder.root,
        callId: this.#folder.callId,
        overlay: this.#overlay,
        copiedNs: this.#copiedNs,
        sinceNs: this.#sinceNs,
        git,
        programs,
        code: [...ownCode(this.#folder.root), ...gitPrograms(this.#folder.root)],
        madeByAgents: madeByAgents.keys,
      },
      signal,
    );
  }

  #isUntouched(): boolean {
    return this.#overlay !== undefined && existsSync(this.#folder.upper) && readdirSync(this.#folder.upper).length === 0;
  }

  async remove(): Promise<void> {
    await removeLayers(this.#folder.root, [this.#folder.callId]);
  }
}
