import type { ComponentProps, ReactNode } from "react";
import { FetchedImage } from "./fetched-image.tsx";
import { type Components, defaultRemarkPlugins, Streamdown } from "streamdown";

/** Where a link may lead. Anything else is shown as its text. */
export const isSafeLink = (href: string | undefined): href is string =>
  href !== undefined && /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i.test(href);

/** Pictures come from this server, or are in the text itself. */
export const isSafeImage = (src: string | undefined): src is string =>
  src !== undefined && /^(?:\/(?!\/)|data:image\/(?:png|jpeg|gif|webp);)/i.test(src);

interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}

/** Applied first: HTML in the text is shown as text. */
function htmlAsText() {
  const visit = (node: MarkdownNode, isBlock: boolean): void => {
    node.children?.forEach((child, nth, all) => {
      if (child.type === "html") {
        const text = { type: "text", value: child.value ?? "" };
        all[nth] = isBlock ? { type: "paragraph", children: [text] } : text;
      } else visit(child, child.type === "blockquote" || child.type === "listItem" || child.type === "footnoteDefinition");
    });
  };
  return (tree: MarkdownNode) => visit(tree, true);
}

const plain =
  (
    Tag:
      | "h1"
      | "h2"
      | "h3"
      | "h4"
      | "h5"
      | "h6"
      | "p"
      | "ul"
      | "ol"
      | "li"
      | "blockquote"
      | "table"
      | "thead"
      | "tbody"
      | "tr"
      | "th"
      | "td"
      | "strong"
      | "em"
      | "hr"
      | "del"
      | "pre"
      | "sup",
  ) =>
  ({ children }: { readonly children?: ReactNode }) =>
    Tag === "hr" ? <hr /> : <Tag>{children}</Tag>;

const heading =
  (level: 3 | 4 | 5 | 6) =>
  ({ children }: { readonly children?: ReactNode }) => {
    const Tag = `h${level}` as const;
    return <Tag>{children}</Tag>;
  };

// The cast: its type requires components for every other name too.
const components = {
  // Headings of a message rank below those of the page.
  h1: heading(3),
  h2: heading(4),
  h3: heading(5),
  h4: heading(6),
  h5: heading(6),
  h6: heading(6),
  p: plain("p"),
  ul: plain("ul"),
  ol: plain("ol"),
  li: plain("li"),
  blockquote: plain("blockquote"),
  table: plain("table"),
  thead: plain("thead"),
  tbody: plain("tbody"),
  tr: plain("tr"),
  th: plain("th"),
  td: plain("td"),
  strong: plain("strong"),
  em: plain("em"),
  del: plain("del"),
  hr: plain("hr"),
  sup: plain("sup"),
  pre: ({ children }: { readonly children?: ReactNode }) => <pre tabIndex={0}>{children}</pre>,
  code: ({ children }: { readonly children?: ReactNode }) => <code>{children}</code>,
  inlineCode: ({ children }: { readonly children?: ReactNode }) => <code>{children}</code>,
  a: ({ href, children }: ComponentProps<"a">) =>
    isSafeLink(href) ? (
      <a href={href} target={href.startsWith("#") ? undefined : "_blank"} rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }: ComponentProps<"img">) => {
    const address = typeof src === "string" ? src : undefined;
    const look = "max-w-full rounded-lg";
    if (address?.startsWith("/api/")) return <FetchedImage address={address} alt={alt ?? ""} className={look} />;
    if (isSafeImage(address)) return <img src={address} alt={alt ?? ""} className={look} />;
    return <span>{alt === undefined || alt === "" ? (address ?? "") : alt}</span>;
  },
} as unknown as Components;

// Constants: new arrays would cause the whole text to be parsed again for every added word.
// GitHub's Markdown, which models write: tables, task lists, strikethrough and bare URLs.
const remarkPlugins = [...(defaultRemarkPlugins.gfm === undefined ? [] : [defaultRemarkPlugins.gfm]), htmlAsText];
const rehypePlugins: [] = [];

export function MarkdownRendered({ text, isLive }: { readonly text: string; readonly isLive: boolean }) {
  return (
    <Streamdown
      components={components}
      // Block by block, even if the text is complete: then no block is rendered again when the last word arrives.
      mode="streaming"
      parseIncompleteMarkdown={isLive}
      controls={false}
      rehypePlugins={rehypePlugins}
      remarkPlugins={remarkPlugins}
      className=""
    >
      {text}
    </Streamdown>
  );
}
