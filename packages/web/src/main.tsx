import { ColloquyProvider } from "@colloquy/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./frame/app.tsx";
import { sessionPage, signIn } from "./state/session.ts";
import "./styles.css";

const place = document.querySelector("#app");
if (!place) throw new Error("The page has no place for the app.");
const root = createRoot(place);
// No top-level await: lazy chunks import this module and would wait for it.
void signIn().then(() =>
  root.render(
    <StrictMode>
      <ColloquyProvider url={location.origin} session={sessionPage}>
        <App />
      </ColloquyProvider>
    </StrictMode>,
  ),
);
