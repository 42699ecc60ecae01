import type { Tool } from "../../calls/tool.ts";
import { fileTools } from "../files/files.ts";
import { runCommand, type ShellSettings } from "./run-command.ts";

export interface GroupSettings {
  readonly shell: Omit<ShellSettings, "programs">;
  /** Paths in the project that tools may read but not write, because we run them. Asked at each call: links and files change. */
  readonly programs?: () => readonly string[];
}

/** Tools by the group that a configuration names. */
export const toolGroups = ({ shell, programs = () => [] }: GroupSettings): Readonly<Record<string, readonly Tool[]>> => ({
  files: fileTools(programs),
  shell: [runCommand({ ...shell, programs })],
});
