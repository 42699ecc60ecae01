import type { Part } from "@colloquy/schema";
import { useWords } from "../../state/appearance.ts";
import { DiffView, GivenDiff } from "../../parts/diff-view.tsx";
import type { Words } from "../../words.ts";
import { CommandEffects } from "./command-effects.tsx";
import { type EffectParts, effectParts } from "./effect-parts.ts";

type Call = Extract<Part, { call: string }>;

const shownValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
const inputOf = ({ input }: Call): Record<string, unknown> =>
  input !== null && typeof input === "object" ? (input as Record<string, unknown>) : { input };

/** What a command did on its layer; undefined if it has not run, and for other calls. */
const effectsOf = (call: Call, exact: string) =>
  call.tool === "run_command" ? effectParts(exact.slice(`$ ${String(inputOf(call).command)}`.length)) : undefined;

/** The requested action, in words. */
export function actOf(call: Call | undefined, text: string, words: Words): string | undefined {
  if (!call) return undefined;
  if (call.tool === "run_command") return effectsOf(call, split(text, call).exact) ? words.approval.apply : words.approval.run;
  if (call.tool === "write_file" || call.tool === "edit_file") return words.approval.files(1);
  if (call.tool === "change_mind") return words.approval.goals;
  return words.approval.tool(call.tool);
}

/** Start of the description of the call; the reason for asking comes before it. */
function split(text: string, call: Call): { readonly why: string; readonly exact: string } {
  const input = inputOf(call);
  const beginning =
    call.tool === "run_command" ? `$ ${String(input.command)}` : "path" in input ? `${String(input.path)}\n` : `${call.tool}\n`;
  const place = text.indexOf(beginning);
  return place < 0 ? { why: text, exact: "" } : { why: text.slice(0, place).trim(), exact: text.slice(place) };
}

export const whyOf = (text: string, call: Call | undefined): string => (call ? split(text, call).why : text);

/** Number of lines in a change. */
export function lengthOf(call: Call, text: string): number {
  const { exact } = split(text, call);
  const { content, old, new: after } = inputOf(call);
  const given = [content, old, after]
    .map((one) => (typeof one === "string" ? one.split("\n").length : 0))
    .reduce((sum, one) => sum + one, 0);
  return Math.max(given, exact.split("\n").length);
}

/** Exactly what will happen: a command as it will be run, a file as it will be changed, a call with its arguments. */
export function ApprovalBox({
  call,
  text,
  onSeen,
}: {
  readonly call: Call;
  readonly text: string;
  /** The end of the change has been in view. */
  readonly onSeen: () => void;
}) {
  const words = useWords();
  const input = inputOf(call);
  const { exact } = split(text, call);
  const effects = effectsOf(call, exact);
  const title = effects ? words.approval.applies : words.approval.exactly;
  return (
    <section aria-label={title} className="overflow-hidden rounded-xl border-2 border-await-line bg-panel">
      <div className="border-b border-line bg-await-soft px-4 py-2 text-xs font-medium text-await">{title}</div>
      <div className="flex flex-col gap-3 p-4">{body(call.tool, { input, exact, effects, words, onSeen })}</div>
    </section>
  );
}

interface BodyProps {
  readonly input: Record<string, unknown>;
  /** The text that is approved, as the server has it. */
  readonly exact: string;
  readonly effects: EffectParts | undefined;
  readonly words: Words;
  readonly onSeen: () => void;
}

function body(tool: string, { input, exact, effects, words, onSeen }: BodyProps) {
  if (tool === "run_command") {
    return (
      <>
        <pre
          tabIndex={0}
          aria-label={words.approval.run}
          className="overflow-x-auto whitespace-pre-wrap rounded-lg bg-sunken px-3 py-2.5 font-mono text-[13px]"
        >
          {shownValue(input.command)}
        </pre>
        <Facts input={input} but={["command"]} />
        {effects && <CommandEffects {...effects} onSeen={onSeen} />}
      </>
    );
  }
  const isFile = tool === "edit_file" || tool === "write_file";
  if (isFile && exact !== "")
    return <GivenDiff title={shownValue(input.path)} text={exact.slice(exact.indexOf("\n") + 1)} onSeen={onSeen} />;
  if (tool === "edit_file") {
    return (
      <DiffView title={shownValue(input.path)} before={shownValue(input.old ?? "")} after={shownValue(input.new ?? "")} onSeen={onSeen} />
    );
  }
  if (tool === "write_file")
    return <DiffView title={shownValue(input.path)} before="" after={shownValue(input.content ?? "")} onSeen={onSeen} />;
  if (tool === "change_mind")
    return <DiffView title={shownValue(input.selector)} before="" after={shownValue(input.content ?? "")} onSeen={onSeen} />;
  return <Facts input={input} but={[]} />;
}

function Facts({ input, but }: { readonly input: Record<string, unknown>; readonly but: readonly string[] }) {
  const words = useWords();
  const facts = Object.entries(input).filter(([name]) => !but.includes(name));
  if (facts.length === 0) return null;
  return (
    <table className="w-full text-left text-[13px]">
      <thead className="sr-only">
        <tr>
          <th scope="col">{words.approval.argument}</th>
          <th scope="col">{words.approval.value}</th>
        </tr>
      </thead>
      <tbody>
        {facts.map(([name, value]) => (
          <tr key={name} className="border-t border-line align-top first:border-0">
            <th scope="row" className="w-32 py-1.5 pr-3 font-medium text-muted">
              {name}
            </th>
            <td className="py-1.5 font-mono text-xs whitespace-pre-wrap">{shownValue(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
