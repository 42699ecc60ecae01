import type { Tool } from "../../calls/tool.ts";
import type { Language } from "@colloquy/core";
import { fileTools } from "../files/files.ts";
import { toolTexts } from "../tool-texts.ts";
import { runCommand, type ShellSettings } from "./run-command.ts";

export interface GroupSettings {
  readonly shell: Omit<ShellSettings, "programs" | "texts">;
  /** Paths in the project that tools may read but not write, because we run them. Looked up at each call: links and files change. */
  readonly programs?: () => readonly string[];
  /** In which models read about tools and their results; default: English. */
  readonly language?: Language;
}

/** Tools by the group that a configuration names. */
export const toolGroups = ({ shell, programs = () => [], language = "en" }: GroupSettings): Readonly<Record<string, readonly Tool[]>> => ({
  files: fileTools(programs, toolTexts[language]),
  shell: [runCommand({ ...shell, programs, texts: toolTexts[language] })],
});
