import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeCommands } from "./describe-commands.ts";

test("[H29] people are told when the settings give commands a network that they cannot have", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-commands-"));
  const missing = () => "pasta is missing";
  const withSettings = (settings: string) => {
    writeFileSync(join(dir, "colloquy.yaml"), settings);
    return describeCommands(dir, missing);
  };
  expect(await describeCommands(dir, missing)).toEqual({ sandbox: expect.objectContaining({ isIsolated: true }) });
  expect(await withSettings("shell: { network: true }")).toMatchObject({ networkProblem: "pasta is missing" });
  for (const settings of ["shell: { network: true, hostNetwork: true }", "shell: { hostNetwork: true }", "shell: [broken"])
    expect(await withSettings(settings)).not.toHaveProperty("networkProblem");
});
