export * from "./jsx-runtime.ts";
export { jsx as jsxDEV } from "./jsx-runtime.ts";
