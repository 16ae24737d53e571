/** Kinds with little of their own. Source: kubernetes v1.36 pkg/apis/core/validation, pkg/apis/coordination/validation. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, notAllowed, notSupported, required, tooLong, type FieldError } from "../field-errors.ts";
import { isFields, type ApiObject } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";
import { configKeyProblems } from "./names.ts";
import { fixed, isOneOf } from "./spec-checks.ts";

const keysOf = (value: unknown): string[] => (isFields(value) ? Object.keys(value).sort() : []);

const keyErrors = (field: string, key: string): FieldError[] =>
  configKeyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem));

const encoder = new TextEncoder();
const mostBytes = 1024 * 1024;

/** How many bytes the values of a map have as they are stored: texts, or base64. */
function sizeOf(values: unknown, isBase64: boolean): number {
  if (!isFields(values)) return 0;
  let bytes = 0;
  for (const value of Object.values(values)) {
    if (typeof value !== "string") continue;
    bytes += isBase64 ? Math.floor((value.replace(/=+$/, "").length * 3) / 4) : encoder.encode(value).length;
  }
  return bytes;
}

const immutableSet = "field is immutable when `immutable` is set";

/** What `immutable: true` keeps as it is. */
function immutableErrors(object: ApiObject, old: ApiObject, ...fields: readonly string[]): FieldError[] {
  if (old["immutable"] !== true) return [];
  const errors = object["immutable"] === true ? [] : [notAllowed("immutable", immutableSet)];
  for (const field of fields) if (!deepEqual(object[field], old[field])) errors.push(notAllowed(field, immutableSet));
  return errors;
}

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

/** The keys that a Secret of a type must have. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function secretTypeErrors({ type, data, metadata }: ApiObject): FieldError[] {
  const keys = keysOf(data);
  if (type === "kubernetes.io/service-account-token") {
    const account = "kubernetes.io/service-account.name";
    return (metadata.annotations?.[account] ?? "") === "" ? [required(`metadata.annotations[${account}]`)] : [];
  }
  const wanted = ["username", "password"];
  if (type === "kubernetes.io/basic-auth")
    return wanted.some((key) => keys.includes(key)) ? [] : wanted.map((key) => required(`data[${key}]`));
  return (secretKeys[String(type)] ?? []).filter((key) => !keys.includes(key)).map((key) => required(`data[${key}]`));
}

/** Secrets whose data was sent as an empty object: the real server tells it from none where it compares immutable data. */
const withEmptyData = new WeakSet<ApiObject>();

export const secretRules: KindRules = {
  defaults(secret) {
    if (isFields(secret["data"]) && Object.keys(secret["data"]).length === 0) withEmptyData.add(secret);
  },
  updateFirst: true,
  validate: (secret) => [
    ...keysOf(secret["data"]).flatMap((key) => keyErrors("data", key)),
    ...(sizeOf(secret["data"], true) > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...secretTypeErrors(secret),
  ],
  validateUpdate: (secret, old) => [
    ...(secret["type"] === old["type"] ? [] : [invalid("type", secret["type"], "field is immutable")]),
    ...immutableErrors(withEmptyData.has(secret) ? { ...secret, data: {} } : secret, old, "data"),
  ],
};

/** Fields of coordinated leader election, which is off by default. */
function dropStrategy({ spec = {} }: ApiObject): void {
  delete spec["strategy"];
  delete spec["preferredHolder"];
}

export const leaseRules: KindRules = {
  prepareCreate: dropStrategy,
  prepareUpdate: dropStrategy,
  validate({ spec = {} }) {
    const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec as Record<string, unknown>;
    const errors: FieldError[] = [];
    if (typeof duration === "number" && duration <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
    }
    if (typeof transitions === "number" && transitions < 0) {
      errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return errors;
  },
};

const highestOwnPriority = 1_000_000_000;

/** Source: kubernetes v1.36 pkg/apis/scheduling/validation/validation.go. */
export const priorityClassRules: KindRules = {
  validate({ metadata: { name = "" }, value, preemptionPolicy: policy }) {
    const errors: FieldError[] = [];
    if (name.startsWith("system-")) {
      if (!systemClasses.has(name)) {
        const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
        errors.push(notAllowed("metadata.name", why));
      }
    } else if (typeof value === "number" && value > highestOwnPriority) {
      const why = `maximum allowed value of a user defined priority is ${highestOwnPriority}`;
      errors.push(notAllowed("value", why));
    }
    const policies = ["PreemptLowerPriority", "Never"];
    if (policy === undefined || policy === "") errors.push(required("preemptionPolicy"));
    else if (!isOneOf(policy, policies)) errors.push(notSupported("preemptionPolicy", policy, policies));
    return errors;
  },
  wholeUpdate: true,
  validateUpdate: (priority, old) => [
    ...(priority["value"] === old["value"] ? [] : [notAllowed("value", "may not be changed in an update.")]),
    ...fixed(priority["preemptionPolicy"], old["preemptionPolicy"], "preemptionPolicy"),
  ],
};

const systemClasses = new Set(["system-node-critical", "system-cluster-critical"]);
