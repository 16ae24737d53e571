/** The `paths` of an OpenAPI v3 document. Source: k8s.io/kube-openapi pkg/builder3/openapi.go. */
import type { Fields } from "../../meta/object.ts";
import type { GroupVersionKind, OpenApiData, OpenApiParameter } from "./data.ts";
import { operationsOf, type Content, type Method, type Operation } from "./operations.ts";
import { capitalized, type Listed } from "./resource-paths.ts";
import { nameOfKind, referenceTo } from "./schemas.ts";

/** The subject of a document. */
export interface Subject {
  readonly group: string;
  readonly version: string;
  readonly data: OpenApiData;
  /** The media types of objects: protobuf only for built-in kinds. */
  readonly isCustom: boolean;
}

/** The content of a request or response, by media type. */
type MediaTypes = Readonly<Record<string, { readonly schema: Fields }>>;

/** The body of a request. */
export interface RequestBody {
  readonly content: MediaTypes;
  readonly required?: boolean;
}

/**
 * For version 2, what an operation without a body consumes; if absent, the types that it produces. Version 3 has no such field: properties
 * with symbol keys are not serialized.
 */
export const consumed: unique symbol = Symbol("consumed");

/** An operation in version 3. */
export interface OperationObject {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: MediaTypes }>>;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
  readonly [consumed]?: readonly string[] | "undeclared";
}

/** The operations of a path, and their common parameters. */
export type PathItem = { readonly [M in Method]?: OperationObject } & {
  readonly parameters?: readonly OpenApiParameter[];
};

const encodings = {
  builtIn: ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"],
  custom: ["application/json", "application/yaml"],
} as const;
const streams = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"] as const;
const patches = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
const meanings = { 200: "OK", 201: "Created", 202: "Accepted" } as const;

/** The word for a group in tags and operation IDs: admissionregistration for admissionregistration.k8s.io, exampleCom for example.com. */
export function groupWord(group: string): string {
  if (group === "") return "core";
  const [first = "", ...rest] = group.replace(/\.k8s\.io$/, "").split(".");
  return first + rest.map(capitalized).join("");
}

/** All paths of the resources. */
export function pathsOf(listed: readonly Listed[], subject: Subject): Readonly<Record<string, PathItem>> {
  const byPath = new Map<string, Operation[]>();
  for (const operation of listed.flatMap(operationsOf)) {
    const there = byPath.get(operation.path) ?? [];
    byPath.set(operation.path, [...there, operation]);
  }
  return Object.fromEntries([...byPath].map(([path, operations]) => [path, itemOf(operations, subject)]));
}

/** Parameters that all operations of a path share are moved to the path. */
function itemOf(operations: readonly Operation[], subject: Subject): PathItem {
  const all = operations.map((operation) => ({ operation, parameters: parametersOf(operation, subject) }));
  const [first, ...others] = all;
  const isShared = (one: OpenApiParameter): boolean =>
    others.every(({ parameters }) => parameters.some((other) => isSame(one, other)));
  const shared = (first?.parameters ?? []).filter(isShared);
  const item: PathItem = Object.fromEntries(
    all.map(({ operation, parameters }) => {
      const own = parameters.filter((one) => !shared.some((other) => isSame(one, other)));
      const { method } = operation;
      return [method, { ...operationObject(operation, subject), ...(own.length === 0 ? {} : { parameters: own }) }];
    }),
  );
  return shared.length === 0 ? item : { ...item, parameters: shared };
}

function isSame(one: OpenApiParameter, other: OpenApiParameter): boolean {
  return one.name === other.name && one.in === other.in && one.description === other.description;
}

/** Sorted by name, path parameters first. */
function parametersOf({ path, parameters, about, action }: Operation, { data }: Subject): readonly OpenApiParameter[] {
  const named = path.includes("{name}")
    ? [{ name: "name", in: "path", description: `name of the ${about.kind}`, required: true, schema: text } as const]
    : [];
  const keys = [
    ...parameters,
    ...(path.includes("{namespace}") ? ["path namespace"] : []),
    ...(action === "connect" ? [] : ["pretty"]),
  ];
  const known = keys.flatMap((key) => data.parameters[key] ?? []);
  const key = (parameter: OpenApiParameter): string => `${parameter.name} ${parameter.in}`;
  return [...known, ...named].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const text = { type: "string", uniqueItems: true } as const;

function operationObject(operation: Operation, subject: Subject): OperationObject {
  const { action, about, description, id, body } = operation;
  const word = groupWord(subject.group);
  return {
    tags: [`${word}_${subject.version}`],
    description,
    operationId: `${id[0]}${capitalized(word)}${capitalized(subject.version)}${id[1]}`,
    ...(body === undefined ? {} : { requestBody: requestBody(body, subject) }),
    responses: responsesOf(operation, subject),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": about,
    ...(subject.isCustom ? {} : { [consumed]: ["*/*"] }),
  };
}

function requestBody(body: Content, subject: Subject): RequestBody {
  const schema = schemaOf(body, subject);
  const strategic = subject.isCustom ? [] : ["application/strategic-merge-patch+json"];
  const types = body === "Patch" ? [...patches, ...strategic] : subject.isCustom ? encodings.custom : ["*/*"];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return body === "DeleteOptions" ? { content } : { content, required: true };
}

function responsesOf(
  { codes, response, action, isWatchable, isStream }: Operation,
  subject: Subject,
): OperationObject["responses"] {
  const schema = schemaOf(response, subject);
  const types = [
    ...(action === "connect" ? ["*/*"] : subject.isCustom ? encodings.custom : encodings.builtIn),
    ...(isWatchable === true && !subject.isCustom ? streams : []),
    ...(isStream === true ? ["text/plain"] : []),
  ];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  const done = Object.fromEntries(codes.map((code) => [code, { description: meanings[code], content }]));
  return { ...done, 401: { description: "Unauthorized" } };
}

function schemaOf(content: Content, { data }: Subject): Fields {
  if (content === "text") return { type: "string" };
  const kind = typeof content === "string" ? { group: "", version: "v1", kind: content } : content;
  return { ...referenceTo(content === "Patch" ? patchName : nameOfKind(data, kind)) };
}

const patchName = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
