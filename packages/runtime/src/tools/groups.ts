import type { Tool } from "../tool.ts";
import { fileTools } from "./files.ts";
import { runCommand, type ShellSettings } from "./run-command.ts";

/** Tools by the group that a configuration names. */
export const toolGroups = ({ shell }: { readonly shell: ShellSettings }): Readonly<Record<string, readonly Tool[]>> => ({
  files: fileTools,
  shell: [runCommand(shell)],
});
