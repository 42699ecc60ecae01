import { memo, Suspense } from "react";
import { isHeavyMarkdown } from "./heavy-markdown.ts";
import { whenNeeded } from "./when-needed.ts";

const Rendered = whenNeeded(
  () => import("./markdown-rendered.tsx"),
  (module) => module.MarkdownRendered,
);

/** Untrusted Markdown. HTML in it is never rendered, but shown as text. */
export const Markdown = memo(function Markdown({ text, isLive = false }: { readonly text: string; readonly isLive?: boolean }) {
  const plain = <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>;
  return (
    <div className="prose-text">
      {isHeavyMarkdown(text) ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Rendered text={text} isLive={isLive} />
        </Suspense>
      )}
    </div>
  );
});
