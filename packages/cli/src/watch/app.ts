import { createElement, useEffect, useRef, useState } from "react";
import { Box, Text, useApp, useInput, usePaste, useWindowSize } from "ink";
import type { Colours } from "../terminal/screen.ts";
import { draw, type Canvas } from "./draw.ts";
import { keysOf } from "./ink-keys.ts";
import { type Key, press } from "./press.ts";
import type { Stage } from "./stage.ts";

const TICK_MS = 1_000;

/** Draws the stage and passes it the keys. All decisions are in `press`, all text is in `draw`. */
export function App({ stage, colours, project }: { readonly stage: Stage; readonly colours: Colours; readonly project: string }) {
  const { exit } = useApp();
  const { columns, rows } = useWindowSize();
  const [, again] = useState(0);
  const redraw = () => again((count) => count + 1);
  useEffect(() => {
    const stop = stage.onChange(redraw);
    const timer = setInterval(redraw, TICK_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [stage]);
  useEffect(() => stage.onQuit(() => exit()), [stage, exit]);

  const canvas: Canvas = { columns, rows: rows - 1, nowMs: Date.now(), colours, project, reading: stage.reading(columns - 4) };
  const drawn = draw(stage.state, canvas);
  // Keys act on what was drawn last.
  const whole = useRef(drawn.isWhole);
  whole.current = drawn.isWhole;
  stage.scrollTo(drawn.room);
  const take = (key: Key) => stage.take(press(stage.state, key, Date.now(), whole.current));
  useInput((input, key) => {
    if (key.ctrl && input === "c") return stage.quit();
    for (const one of keysOf(input, key, stage.state.composer !== undefined)) take(one);
  });
  // Pasted input is text for a composer, and ignored otherwise.
  usePaste((text) => {
    if (stage.state.composer) take({ text });
  });
  return createElement(
    Box,
    { flexDirection: "column" },
    ...drawn.lines.map((line, nth) => createElement(Text, { key: nth, wrap: "truncate" }, line === "" ? " " : line)),
  );
}
