import type { ReactNode } from "react";

/** A part of the task's page under its title. */
export const TaskPart = ({
  title,
  glyph,
  look = "",
  children,
}: {
  readonly title: string;
  readonly glyph?: string;
  readonly look?: string;
  readonly children: ReactNode;
}) => (
  <section className="max-w-[760px]">
    <h2 className={`mb-1.5 flex gap-1.5 text-[13px] font-semibold ${look}`}>
      {glyph !== undefined && <span aria-hidden="true">{glyph}</span>}
      <span className="inline-block first-letter:uppercase">{title}</span>
    </h2>
    {children}
  </section>
);
