import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Into the folder that the server looks for. Nothing is put inline: the content policy allows no script or style in the page's text.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react({ jsxImportSource: "@colloquy/web" }), tailwind()],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:5740", "/ws": { target: "ws://127.0.0.1:5740", ws: true } } },
});
