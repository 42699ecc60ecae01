import { useState } from "react";
import { useKept } from "../../state/kept.ts";

/** Whether this browser notifies, and how to allow it. */
export function useNotifications() {
  const [kept, keep] = useKept("notify");
  const [permission, setPermission] = useState("Notification" in globalThis ? Notification.permission : "denied");
  const isOn = kept === "on" && permission === "granted";
  return {
    state: permission === "denied" ? "denied" : isOn ? "on" : "offer",
    allow: async () => {
      const answer = await Notification.requestPermission();
      setPermission(answer);
      keep(answer === "granted" ? "on" : undefined);
    },
  } as const;
}
