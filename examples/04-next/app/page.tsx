import { ColloquyProvider } from "colloquy/react";
import { Shop } from "./shop";

export default function Page() {
  return (
    <ColloquyProvider api="/api/colloquy">
      <h1>Paint shop</h1>
      <Shop />
    </ColloquyProvider>
  );
}
