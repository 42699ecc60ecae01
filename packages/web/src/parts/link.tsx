import type { AnchorHTMLAttributes } from "react";
import { go, pathOf, type Route } from "../state/router.ts";

/** A real link, so that it can be opened elsewhere; a plain click stays in the page. */
export function Link({ to, ...rest }: { readonly to: Route } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">) {
  return (
    <a
      {...rest}
      href={pathOf(to)}
      onClick={(event) => {
        rest.onClick?.(event);
        if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}
