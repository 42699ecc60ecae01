"use client";

import { useActions, useDialog, useDialogs, useQuestions } from "colloquy/react";

/** A form for new work, the questions that wait for a person, and the state of each dialog. */
export function Shop() {
  const { dialogs, questions } = useActions();
  const { open } = useQuestions();
  const { rows } = useDialogs();
  return (
    <>
      <button onClick={() => void dialogs.create({ content: "Paint the door" })}>Paint the door</button>
      {open?.map(({ id, headline, options, shown }) => (
        <fieldset key={id}>
          <legend>{headline}</legend>
          {options.map(({ label }) => (
            <button key={label} onClick={() => void questions.answer(id, { choice: label, shown })}>
              {label}
            </button>
          ))}
        </fieldset>
      ))}
      <ul>
        {rows?.map(({ rootId }) => (
          <Work key={rootId} id={rootId} />
        ))}
      </ul>
    </>
  );
}

function Work({ id }: { id: string }) {
  const { view, events, live } = useDialog(id);
  const said = events.flatMap(({ event }) =>
    event.type === "step.ended" ? event.parts.flatMap((part) => ("saying" in part ? [part.saying] : [])) : [],
  );
  const now = live
    .filter(({ selfId }) => selfId === id)
    .flatMap(({ segments }) => segments.map(({ text }) => text))
    .join("");
  return (
    <li>
      {view?.title} ({view?.state}) <output>{now || said.at(-1)}</output>
    </li>
  );
}
