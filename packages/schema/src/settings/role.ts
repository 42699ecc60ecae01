import { z } from "zod";

/**
 * A viewer reads. A member also creates, sends, answers, approves once, stops and resumes. An owner also grants, declares dead,
 * archives, and changes settings and users.
 */
export const Role = z.enum(["viewer", "member", "owner"]);
export type Role = z.infer<typeof Role>;

/** Each role includes the ones before it. */
export const mayAct = (role: Role, needs: Role): boolean => Role.options.indexOf(role) >= Role.options.indexOf(needs);
