import { handlers } from "colloquy";
import { project } from "../../../project";

export const { GET, POST, PATCH, DELETE } = handlers(project);
