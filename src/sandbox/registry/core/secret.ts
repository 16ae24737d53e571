/** Secrets. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { accountNameAnnotation, tokenSecretType } from "../../../api/token-secrets.ts";
import { invalid, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { asCompared, immutableErrors, keyErrors, keysOf, mostBytes, sizeOf } from "./stored-data.ts";

/** The keys that each type of Secret requires. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function secretTypeErrors({ type, data, metadata }: ApiObject): FieldError[] {
  const keys = keysOf(data);
  if (type === tokenSecretType) {
    const isNamed = (metadata.annotations?.[accountNameAnnotation] ?? "") !== "";
    return isNamed ? [] : [required(`metadata.annotations[${accountNameAnnotation}]`)];
  }
  const wanted = ["username", "password"];
  if (type === "kubernetes.io/basic-auth")
    return wanted.some((key) => keys.includes(key)) ? [] : wanted.map((key) => required(`data[${key}]`));
  return (secretKeys[String(type)] ?? []).filter((key) => !keys.includes(key)).map((key) => required(`data[${key}]`));
}

/** Secrets: the keys required by their type, and the size and immutability of their data are validated. */
export const secretStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObjectMeta, validateObject],
  validate: (secret) => [
    ...keysOf(secret["data"]).flatMap((key) => keyErrors("data", key)),
    ...(sizeOf(secret["data"], true) > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...secretTypeErrors(secret),
  ],
  validateUpdate: (secret, old) => [
    ...(secret["type"] === old["type"] ? [] : [invalid("type", secret["type"], "field is immutable")]),
    ...immutableErrors(asCompared(secret, "data"), old, "data"),
  ],
});
