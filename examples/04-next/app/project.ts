import { defineAgent, openProject } from "colloquy";

const lead = defineAgent({ id: "lead", role: "You paint what you are given, and ask for the colour.", default: true });

/** Opened with the first request; the same folder again, also after a hot reload, is the same project. */
export const project = () =>
  openProject({
    dir: ".",
    model: process.env.MODEL ?? "scripted/paint",
    agents: [lead],
    basePath: "/api/colloquy",
    // Replace this with your own sign-in, for example by a cookie. Here everybody who reaches this machine is Anna.
    authenticate: () => ({ user: "anna", role: "member" }),
  });
