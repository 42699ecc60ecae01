import { ClientDoor, DoorProvider } from "@colloquy/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./frame/app.tsx";
import "./styles.css";

const place = document.querySelector("#app");
if (!place) throw new Error("The page has no place for the app.");
createRoot(place).render(
  <StrictMode>
    <DoorProvider value={new ClientDoor({ url: location.origin })}>
      <App />
    </DoorProvider>
  </StrictMode>,
);
