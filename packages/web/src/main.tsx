import { ClientDoor, DoorProvider } from "@colloquy/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./frame/app.tsx";
import { sessionPage, signIn } from "./state/session.ts";
import "./styles.css";

const place = document.querySelector("#app");
if (!place) throw new Error("The page has no place for the app.");
const root = createRoot(place);
// Not awaited at the top: parts that are loaded later import this module, and would wait with it.
void signIn().then(() =>
  root.render(
    <StrictMode>
      <DoorProvider value={new ClientDoor({ url: location.origin, session: sessionPage })}>
        <App />
      </DoorProvider>
    </StrictMode>,
  ),
);
