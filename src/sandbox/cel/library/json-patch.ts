/** Extra functions in expressions for JSON patches. Source: apiserver v0.36 pkg/cel/library/jsonpatch.go. */
import { noSuchOverload } from "../values/value.ts";
import { declare, type FunctionDecl } from "./function.ts";

/** `jsonpatch.escapeKey`: escapes a key for use in a patch path. */
export const jsonPatchFunctions: readonly FunctionDecl[] = declare({
  "jsonpatch.escapeKey": {
    string_jsonpatch_escapeKey_string: [
      "(string) string",
      (key) =>
        typeof key === "string" ? key.replaceAll(/[~/]/g, (one) => (one === "~" ? "~0" : "~1")) : noSuchOverload(),
    ],
  },
});
