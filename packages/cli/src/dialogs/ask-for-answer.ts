import * as prompts from "@clack/prompts";
import type { AnswerInput, QuestionView } from "@colloquy/library";
import { chooseByDigits } from "./choose-by-digits.ts";
import { oneLine } from "../terminal/visible.ts";

const OTHER = -1;
/** A key pressed within this time of the card appearing was meant for something else. */
const CALM_MS = 400;

/** Asks the person at the terminal, below the card. Undefined if they cancel: the question stays open. */
export async function askForAnswer(question: QuestionView): Promise<AnswerInput | undefined> {
  await calm(process.stdin);
  if (question.fields !== undefined && question.fields.length > 1) {
    const { askForFields } = await import("./ask-for-fields.ts");
    const filledIn = await askForFields(question.fields);
    return filledIn === undefined ? cancelled() : { content: filledIn };
  }
  const picked = question.options.length === 0 ? OTHER : await pick(question);
  if (prompts.isCancel(picked)) return cancelled();
  if (picked !== OTHER) return { choice: Array.isArray(picked) ? picked : [picked as number] };
  const content = await prompts.text({
    message: question.options.length === 0 ? "Your answer" : "In your own words",
    validate: (text) => (text?.trim() ? undefined : "Some text, please"),
  });
  return prompts.isCancel(content) ? cancelled() : { content };
}

/** Drops input until nothing has been typed for a moment: it wasn't meant for this question. */
async function calm(stdin: NodeJS.ReadStream): Promise<void> {
  stdin.setRawMode(true);
  await new Promise<void>((resolve) => {
    const end = () => {
      stdin.off("data", again);
      resolve();
    };
    let timer = setTimeout(end, CALM_MS);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(end, CALM_MS);
    };
    stdin.on("data", again);
  });
  stdin.setRawMode(false);
}

async function pick(question: QuestionView): Promise<number | number[] | symbol> {
  const message = question.multiple ? "Your choices" : "Your choice";
  const options = question.options.map(({ label, recommended }, value) => ({
    value,
    label: oneLine(`${value + 1} ${label}`),
    ...(recommended && { hint: "recommended" }),
  }));
  const numbered = options.length;
  if (question.multiple) {
    const marked = prompts.multiselect({ message, options, required: true });
    return chooseByDigits(marked, { numbered, lines: numbered, start: 0, isMultiple: true });
  }
  const start = Math.max(
    0,
    question.options.findIndex((option) => option.recommended),
  );
  const other = question.allowOther ? [{ value: OTHER, label: "Something else …", hint: "in your own words" }] : [];
  const picked = prompts.select({ message, options: [...options, ...other], initialValue: start });
  return chooseByDigits(picked, { numbered, lines: numbered + other.length, start, isMultiple: false });
}

function cancelled(): undefined {
  prompts.cancel("Nothing was answered; the question stays open.");
}
