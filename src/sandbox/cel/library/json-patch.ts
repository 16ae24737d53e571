/** What expressions that make JSON patches can use besides. Source: apiserver v0.36 pkg/cel/library/jsonpatch.go. */
import { noSuchOverload } from "../values/value.ts";
import { declare, type FunctionDecl } from "./function.ts";

/** `jsonpatch.escapeKey`: a key as a path of a patch has it. */
export const jsonPatchFunctions: readonly FunctionDecl[] = declare({
  "jsonpatch.escapeKey": {
    string_jsonpatch_escapeKey_string: [
      "(string) string",
      (key) =>
        typeof key === "string" ? key.replaceAll(/[~/]/g, (one) => (one === "~" ? "~0" : "~1")) : noSuchOverload(),
    ],
  },
});
