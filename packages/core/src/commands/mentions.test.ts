import { AgentId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { mentionsOf } from "./mentions.ts";
import { coder, lead, reviewer, rules } from "../testing.ts";

const manager = AgentId.parse("pm");
const names: Readonly<Record<string, string>> = { lead: "Lead", coder: "Coder", reviewer: "评审", pm: "Project Manager" };
const team = { ...rules().team, ids: () => [lead, coder, reviewer, manager], nameOf: (agent: AgentId) => names[agent] ?? agent };

test.each([
  ["@coder do it", [coder]],
  ["  @Coder, @lead: both of you", [coder, lead]],
  ["@lead @coder", [lead, coder]],
  ["@lead、@评审：请看", [lead, reviewer]],
  ["＠评审请看一下", [reviewer]],
  ["@coder请看一下", [coder]],
  ["@Project Manager what now?", [manager]],
  ["@coder @coder twice", [coder]],
  ["Hello @coder", undefined],
  ["@ home", undefined],
  ["Hello", undefined],
])("[J1] %s", (content, agents) => expect(mentionsOf(content, undefined, team)).toEqual({ agents }));

test.each([
  ["@anna hello", "anna"],
  ["@coders hello", "coders"],
  ["@lead @nobody hello", "nobody"],
])("[J4] %s names nobody", (content, unknown) => expect(mentionsOf(content, undefined, team)).toEqual({ unknown }));

test("[J2] [J3] [J4] a list of mentions takes precedence over the text", () => {
  expect(mentionsOf("@coder do it", ["reviewer", "Lead", "lead"], team)).toEqual({ agents: [reviewer, lead] });
  expect(mentionsOf("@coder do it", [], team)).toEqual({ agents: [] });
  expect(mentionsOf("do it", ["tester"], team)).toEqual({ unknown: "tester" });
});
