import { useEffect, useState } from "react";

/** Shown if loading takes longer than a moment. */
export function SkeletonRows() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 300);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div aria-hidden="true" className="flex flex-col gap-3 p-4">
      {[0, 1, 2].map((nth) => (
        <div key={nth} className="skeleton h-12" />
      ))}
    </div>
  );
}
