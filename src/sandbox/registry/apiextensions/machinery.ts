/** Code that only custom resources need: loaded when a definition is first written. */
export {
  definitionNameErrors,
  definitionErrors,
  definitionUpdateErrors,
  definitionStatusErrors,
} from "./definition/validation.ts";
export { unknownFormatsIn, normalizeSchemas } from "./definition/schema-walk.ts";
export { servedKindOf } from "./instance/served-kind.ts";
