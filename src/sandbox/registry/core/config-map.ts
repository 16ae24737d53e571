/** ConfigMaps. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { invalid, tooLong } from "../../meta/field-errors.ts";
import type { KindRules } from "../strategy/kind-rules.ts";
import { immutableErrors, keyErrors, keysOf, mostBytes, sizeOf } from "./stored-data.ts";

export const configMapRules: KindRules = {
  updateFirst: true,
  validate(map) {
    const binary = new Set(keysOf(map["binaryData"]));
    return [
      ...keysOf(map["data"]).flatMap((key) => [
        ...keyErrors("data", key),
        ...(binary.has(key) ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")] : []),
      ]),
      ...[...binary].flatMap((key) => keyErrors("binaryData", key)),
      ...(sizeOf(map["data"], false) + sizeOf(map["binaryData"], true) > mostBytes ? [tooLong("[]", mostBytes)] : []),
    ];
  },
  validateUpdate: (map, old) => immutableErrors(map, old, "data", "binaryData"),
};
