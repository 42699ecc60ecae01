import type { ProjectPlace } from "@colloquy/core";
import { realInside } from "../tools/files/resolved-path.ts";

/** The project, for rules about paths. Links are resolved when a rule asks. */
export const projectPlace = (dir: string): ProjectPlace => ({ dir, realPath: (inside) => realInside(dir, inside) });
