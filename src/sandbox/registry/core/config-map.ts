/** ConfigMaps. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { invalid, tooLong } from "../../meta/field-errors.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { asCompared, immutableErrors, keyErrors, keysOf, mostBytes, sizeOf } from "./stored-data.ts";

/** ConfigMaps: the keys, size and immutability of their data are validated. */
export const configMapStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObjectMeta, validateObject],
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
  validateUpdate: (map, old) => immutableErrors(asCompared(map, "binaryData"), old, "data", "binaryData"),
});
