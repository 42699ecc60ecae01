import type { ReactNode } from "react";

export const PanelSection = ({
  title,
  action,
  children,
}: {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className="mb-6">
    <h2 className="mb-1.5 flex items-center justify-between text-xs font-semibold text-muted">
      {title}
      {action}
    </h2>
    {children}
  </section>
);
