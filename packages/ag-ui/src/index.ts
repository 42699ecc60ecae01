export { agUi, PROTOCOL } from "./ag-ui.ts";
