import type { InProject, Notice } from "@colloquy/client";
import { useClient, useObservable } from "./provider.ts";

/** What an agent did without asking, and its project. */
export type ProjectNotice = InProject<Notice>;

/** Every undismissed notice of every project, newest first. Undefined until loaded. */
export const useNotices = (): readonly ProjectNotice[] | undefined => useObservable(useClient().stores.notices);
