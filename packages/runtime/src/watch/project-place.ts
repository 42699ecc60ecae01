import type { ProjectPlace } from "@colloquy/core";
import { realInside } from "../tools/files/resolved-path.ts";

/** The project, for rules that mean paths. Links are followed when a rule asks. */
export const projectPlace = (dir: string): ProjectPlace => ({ dir, realPath: (inside) => realInside(dir, inside) });
