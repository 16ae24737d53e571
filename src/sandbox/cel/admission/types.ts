/** The types of variables in admission expressions. Source: apiserver v0.36 pkg/admission/plugin/cel/compile.go. */
import { authorizerType, resourceCheckType } from "../library/authorizer.ts";
import type { StructTypes } from "../program/compile.ts";
import {
  boolType,
  type CelType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectOf,
  stringType,
  timestampType,
} from "../values/types.ts";

const struct = (name: string): CelType => objectOf(`kubernetes.${name}`);
const texts = listOf(stringType);

type Fields = Readonly<Record<string, CelType>>;

const structs: Readonly<Record<string, Fields>> = {
  "kubernetes.GroupVersionKind": { group: stringType, version: stringType, kind: stringType },
  "kubernetes.GroupVersionResource": { group: stringType, version: stringType, resource: stringType },
  "kubernetes.UserInfo": { username: stringType, uid: stringType, groups: texts, extra: mapOf(stringType, texts) },
  "kubernetes.AdmissionRequest": {
    kind: struct("GroupVersionKind"),
    resource: struct("GroupVersionResource"),
    subResource: stringType,
    requestKind: struct("GroupVersionKind"),
    requestResource: struct("GroupVersionResource"),
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: struct("UserInfo"),
    dryRun: boolType,
    options: dynType,
  },
  "kubernetes.NamespaceSpec": { finalizers: texts },
  "kubernetes.NamespaceCondition": {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  },
  "kubernetes.NamespaceStatus": { conditions: listOf(struct("NamespaceCondition")), phase: stringType },
  "kubernetes.NamespaceMetadata": {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  },
  "kubernetes.Namespace": {
    metadata: struct("NamespaceMetadata"),
    spec: struct("NamespaceSpec"),
    status: struct("NamespaceStatus"),
  },
};

/** The type name of `variables`. */
const variablesTypeName = "kubernetes.variables";

/** Which variables exist. */
export interface DeclaredVariables {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The types of the fields of `variables`; undefined if there is no such variable. */
  readonly composed?: ReadonlyMap<string, CelType> | undefined;
}

/** The variables by name. */
export function variableTypes({ hasParams, hasAuthorizer, composed }: DeclaredVariables): Map<string, CelType> {
  return new Map([
    ["object", dynType],
    ["oldObject", dynType],
    ["namespaceObject", struct("Namespace")],
    ["request", struct("AdmissionRequest")],
    ...(hasParams ? [["params", dynType] as const] : []),
    ...(hasAuthorizer
      ? ([
          ["authorizer", authorizerType],
          ["authorizer.requestResource", resourceCheckType],
        ] as const)
      : []),
    ...(composed === undefined ? [] : [["variables", objectOf(variablesTypeName)] as const]),
  ]);
}

/** The struct types. */
export function admissionStructs({ composed }: DeclaredVariables): StructTypes {
  const fieldsOf = (name: string): Fields | undefined => (Object.hasOwn(structs, name) ? structs[name] : undefined);
  return {
    has: (name) => (name === variablesTypeName ? composed !== undefined : fieldsOf(name) !== undefined),
    fieldOf(name, field) {
      if (name === variablesTypeName) return composed?.get(field);
      const fields = fieldsOf(name);
      return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
    },
  };
}

const shownKinds: ReadonlySet<CelType["kind"]> = new Set([
  "any",
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "null",
  "string",
  "timestamp",
  "uint",
] as const);

/** The type of a composed variable as other expressions see it: structs and the like become `dyn`. */
export function composedType(type: CelType): CelType {
  const { kind, parameters } = type;
  const [first = dynType, second = dynType] = parameters;
  if (kind === "list") return listOf(composedType(first));
  if (kind === "map") return mapOf(composedType(first), composedType(second));
  return shownKinds.has(kind) ? type : dynType;
}
