/** Secrets. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { accountNameAnnotation, tokenSecretType } from "../../../api/token-secrets.ts";
import { invalid, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { jsonMapProblem } from "../../meta/json-problems.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { keyPairWarnings } from "./key-pair-warnings.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { asCompared, immutableErrors, keyErrors, keysOf, mostBytes, sizeOf } from "./stored-data.ts";

const requiredKey = (key: string): FieldError => required(`data[${key}]`);

/** Credentials for registries: an object in JSON. */
function registryErrors(data: Fields, key: string): FieldError[] {
  if (data[key] === undefined) return [requiredKey(key)];
  const problem = jsonMapProblem(Buffer.from(textOf(data[key]), "base64").toString("latin1"));
  return problem === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
}

/** What the type of a Secret requires. */
function secretTypeErrors({ type, data, metadata }: ApiObject): FieldError[] {
  const values = isFields(data) ? data : {};
  const lacking = (...keys: readonly string[]): string[] => keys.filter((key) => values[key] === undefined);
  switch (type) {
    case tokenSecretType: {
      const isNamed = (metadata.annotations?.[accountNameAnnotation] ?? "") !== "";
      return isNamed ? [] : [required(`metadata.annotations[${accountNameAnnotation}]`)];
    }
    case "kubernetes.io/dockercfg":
      return registryErrors(values, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return registryErrors(values, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const missing = lacking("username", "password");
      return missing.length === 2 ? missing.map(requiredKey) : [];
    }
    case "kubernetes.io/ssh-auth":
      return (values["ssh-privatekey"] ?? "") === "" ? [requiredKey("ssh-privatekey")] : [];
    case "kubernetes.io/tls":
      return lacking("tls.crt", "tls.key").map(requiredKey);
    default:
      return [];
  }
}

/** Secrets: what their type requires, and the size and immutability of their data are validated. */
export const secretStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObjectMeta, validateObject],
  validate: (secret) => [
    ...keysOf(secret["data"]).flatMap((key) => keyErrors("data", key)),
    ...(sizeOf(secret["data"], true) > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...secretTypeErrors(secret),
  ],
  warningsOnCreate: keyPairWarnings,
  warningsOnUpdate: keyPairWarnings,
  validateUpdate: (secret, old) => [
    ...(secret["type"] === old["type"] ? [] : [invalid("type", secret["type"], "field is immutable")]),
    ...immutableErrors(asCompared(secret, "data"), old, "data"),
  ],
});
