import { withVisibleControls } from "@colloquy/schema";
import type { ReactElement } from "react";
import { Fragment, jsx as jsxOfReact, jsxs as jsxsOfReact } from "react/jsx-runtime";

export type { JSX } from "react";
export { Fragment };

/** Attributes that screen readers read out. */
const READ_OUT = ["title", "aria-label", "alt", "placeholder"] as const;

type Props = Readonly<Record<string, unknown>>;

/**
 * All text that the page's own code renders passes through here: invisible characters in titles, choices, commands and paths are shown
 * as marks. Markdown of people and agents is rendered elsewhere.
 */
export const jsx: typeof jsxOfReact = (type, props, key): ReactElement => jsxOfReact(type, shown(type, props as Props), key);
export const jsxs: typeof jsxsOfReact = (type, props, key): ReactElement => jsxsOfReact(type, shown(type, props as Props), key);

function shown(type: unknown, props: Props): Props {
  if (typeof type !== "string" && type !== Fragment) return props;
  const { children } = props;
  const marked = Array.isArray(children) ? children.map(text) : text(children);
  const attributes = READ_OUT.flatMap((name) => (typeof props[name] === "string" ? [[name, withVisibleControls(props[name])]] : []));
  return children === undefined && attributes.length === 0
    ? props
    : { ...props, ...Object.fromEntries(attributes), ...(children !== undefined && { children: marked }) };
}

const text = (child: unknown): unknown => (typeof child === "string" ? withVisibleControls(child) : child);
