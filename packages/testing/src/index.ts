export { crashEverywhere, type Open } from "./crash-everywhere.ts";
export type { TestDialog } from "./test-dialog.ts";
export { type TestOptions, type TestProject, testProject } from "./test-project.ts";
export { ask, askPerson, call, calls, fail, say, type Telling, type Told } from "./told-model.ts";
