/** Kinds with little of their own. Source: kubernetes v1.36 pkg/apis/core/validation, pkg/apis/coordination/validation. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, notAllowed, type FieldError } from "../field-errors.ts";
import { isFields, type ApiObject } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";

const configKey = /^[-._a-zA-Z0-9]+$/;
const keyProblem =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const keysOf = (value: unknown): string[] => (isFields(value) ? Object.keys(value).sort() : []);

function keyErrors(field: string, key: string): FieldError[] {
  if (key === "." || key === "..") return [invalid(`${field}[${key}]`, key, `must not be '${key}'`)];
  return configKey.test(key) ? [] : [invalid(`${field}[${key}]`, key, keyProblem)];
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
  validate(map) {
    const binary = new Set(keysOf(map["binaryData"]));
    return [
      ...keysOf(map["data"]).flatMap((key) => [
        ...keyErrors("data", key),
        ...(binary.has(key) ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")] : []),
      ]),
      ...[...binary].flatMap((key) => keyErrors("binaryData", key)),
    ];
  },
  validateUpdate: (map, old) => immutableErrors(map, old, "data", "binaryData"),
};

export const secretRules: KindRules = {
  validate: (secret) => keysOf(secret["data"]).flatMap((key) => keyErrors("data", key)),
  validateUpdate: (secret, old) => [
    ...(secret["type"] === old["type"] ? [] : [invalid("type", secret["type"], "field is immutable")]),
    ...immutableErrors(secret, old, "data"),
  ],
};

export const leaseRules: KindRules = {
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

/** Claims and volumes are protected by a finalizer while they are used. */
function protectedBy(finalizer: string): KindRules {
  return {
    prepareCreate(object) {
      object.status = { phase: "Pending" };
      const finalizers = object.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
    },
  };
}

export const claimRules: KindRules = protectedBy("kubernetes.io/pvc-protection");
export const volumeRules: KindRules = protectedBy("kubernetes.io/pv-protection");

export const daemonSetRules: KindRules = {
  defaults(daemonSet) {
    daemonSet.metadata.annotations = {
      "deprecated.daemonset.template.generation": "1",
      ...daemonSet.metadata.annotations,
    };
  },
};

export const nodeRules: KindRules = {
  defaults({ spec = {} }) {
    // The first range and the list of them are two ways to write one thing.
    const { podCIDR, podCIDRs } = spec as Record<string, unknown>;
    if (typeof podCIDR === "string" && podCIDR !== "" && podCIDRs === undefined) spec["podCIDRs"] = [podCIDR];
  },
};
