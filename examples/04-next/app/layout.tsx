import type { ReactNode } from "react";

export const metadata = { title: "Paint shop" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ font: "16px system-ui", margin: "2rem auto", maxWidth: "40rem" }}>{children}</body>
    </html>
  );
}
