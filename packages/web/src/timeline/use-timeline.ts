import { useDialog } from "@colloquy/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { allOf } from "../dialog/state-sentence.ts";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";
import { useNow } from "../state/now.ts";
import { criticalPath } from "./critical-path.ts";
import { axis } from "./time-scale.ts";
import { timeline } from "./timeline-model.ts";
import { GUTTER_PX } from "./use-lanes.ts";

/** More are not loaded: the page says so. */
const MAX_EVENTS = 40_000;
const MAX_ZOOM = 200;
const ZOOM_STEP = 1.5;
const QUIET: ReadonlySet<string> = new Set(["done", "idle", "archived", "dead"]);

/** A tree's timeline, and how it is shown. */
export function useTimeline(projectId: string, dialogId: string, isPhone: boolean) {
  const dialog = useDialog(dialogId, projectId);
  const [isTable, setTable] = useState(isPhone);
  const [isFolded, setFolded] = useState(true);
  const [isCritical, setCritical] = useState(false);
  const [zoom, setZoom] = useState(1);
  const isMoving = dialog.tree !== undefined && !allOf(dialog.tree).every(({ state }) => QUIET.has(state));
  const now = useNow(isMoving ? 1_000 : 3_600_000);
  const { box, width } = useWidth([isTable, dialog.view === undefined]);
  const isWhole = !dialog.hasOlder;
  useEffect(() => {
    if (!isWhole && dialog.events.length < MAX_EVENTS) dialog.loadOlder();
  }, [dialog]);
  const model = useMemo(() => timeline(dialog.events, Math.max(now, Date.now())), [dialog.events, now]);
  const stretches = useMemo(() => axis(model, width, zoom, isFolded), [model, width, zoom, isFolded]);
  const path = useMemo(() => (isCritical ? criticalPath(model) : undefined), [model, isCritical]);
  const zoomBy = (by: number) => setZoom((before) => Math.min(MAX_ZOOM, Math.max(1, before * by)));
  const toggleFolded = () => setFolded((before) => !before);
  const toggleCritical = () => setCritical((before) => !before);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPlainKey(event) || isTextField(document.activeElement as HTMLElement | null)) return;
      const { key } = event;
      if (key === "t") toggleFolded();
      else if (key === "c") toggleCritical();
      else if (key === "+" || key === "=") zoomBy(ZOOM_STEP);
      else if (key === "-") zoomBy(1 / ZOOM_STEP);
      else if (key === "0") setZoom(1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return {
    dialog,
    model,
    stretches,
    path,
    box,
    /** Too long to be shown whole. */
    isCut: !isWhole && dialog.events.length >= MAX_EVENTS,
    isTable,
    toggleTable: () => setTable(!isTable),
    isFolded,
    toggleFolded,
    isCritical,
    toggleCritical,
    zoomBy,
    zoomIn: () => zoomBy(ZOOM_STEP),
    zoomOut: () => zoomBy(1 / ZOOM_STEP),
  };
}

export type TimelineView = ReturnType<typeof useTimeline>;

/** The width that the lanes have. Measured again when one of `changes` changes. */
function useWidth(changes: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth - GUTTER_PX - 24)));
    observer.observe(element);
    return () => observer.disconnect();
  }, changes);
  return { box, width };
}
