export { type FinderOptions, keyEnvOf, modelFinder } from "./catalog/find-model.ts";
export { type ListedModel, listModels, type ModelList } from "./catalog/list-models.ts";
export * from "./port.ts";
export { type AiModel, demandModel, givenModel } from "./providers/given-model.ts";
export { costOf } from "./catalog/prices.ts";
export { problemsOf } from "./providers/schema-problem.ts";
export { scriptedModel } from "./scripted/scripted-model.ts";
export { type ModelTest, testModel } from "./catalog/test-model.ts";
export { pathText, readYaml } from "./scripted/yaml-lines.ts";
