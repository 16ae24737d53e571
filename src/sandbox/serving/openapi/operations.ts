/** The operations that the OpenAPI documents list for a resource. Source: apiserver v0.36 endpoints/installer.go, apiextensions-apiserver v0.36 pkg/controller/openapi/builder/builder.go. */
import type { GroupVersionKind } from "./data.ts";
import { capitalized, type Listed, ResourcePaths } from "./resource-paths.ts";

/** A method in lower case, as in documents. */
export type Method = "get" | "put" | "post" | "delete" | "patch" | "options" | "head";

/** The content of a request or response: a schema by kind, or text. */
export type Content = GroupVersionKind | "Status" | "DeleteOptions" | "Patch" | "text";

/** An operation, before names of schemas and parameters are resolved. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly action: string;
  readonly description: string;
  /** The parts of the operation ID around group and version: `list` … `NamespacedPod`. */
  readonly id: readonly [verb: string, of: string];
  readonly about: GroupVersionKind;
  /** Keys of the extracted parameters. */
  readonly parameters: readonly string[];
  readonly body?: Content;
  readonly response: Content;
  readonly codes: readonly (200 | 201 | 202)[];
  readonly isWatchable?: true;
  readonly isStream?: true;
}

const writing = ["dryRun", "fieldManager", "fieldValidation"] as const;
const listing =
  "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds watch".split(
    " ",
  );
const deleting =
  "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy".split(
    " ",
  );
const deletingMany = [...deleting, ...listing.filter((name) => name !== "allowWatchBookmarks" && name !== "watch")];

/** Plurals have no article. Source: apiserver v0.36 endpoints/installer.go GetArticleForNoun. */
function withArticle(noun: string): string {
  if (noun.endsWith("s") && !noun.endsWith("ss")) return noun;
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** The operations of a resource or a subresource. */
export function operationsOf(listed: Listed): readonly Operation[] {
  const paths = new ResourcePaths(listed);
  const { data } = listed;
  if (data.kind.endsWith("Options")) return connections(paths);
  const has = (verb: string): boolean => data.verbs.includes(verb);
  return [
    ...(has("list") ? lists(paths) : []),
    ...(has("get") ? [read(paths)] : []),
    ...(has("create") ? [creation(paths)] : []),
    ...(has("update") ? [replacement(paths)] : []),
    ...(has("patch") ? [patching(paths)] : []),
    ...(has("delete") ? [deletion(paths)] : []),
    ...(has("deletecollection") ? [deletionOfMany(paths)] : []),
    ...(has("watch") && !listed.isCustom ? watches(paths) : []),
  ];
}

/** `status of the specified `, or empty for the object itself. */
const partOf = ({ subresource }: ResourcePaths): string => (subresource === "" ? "" : `${subresource} of `);

function lists(paths: ResourcePaths): readonly Operation[] {
  const { about, own, listed } = paths;
  const canWatch = listed.data.verbs.includes("watch") && !listed.isCustom;
  const common = {
    method: "get",
    action: "list",
    description: `list ${canWatch ? "or watch " : ""}objects of kind ${listed.of}`,
    about,
    parameters: listing,
    response: { ...own, kind: listed.listKind },
    codes: [200],
    isWatchable: true,
  } as const;
  const inScope: Operation = { ...common, path: paths.collection, id: ["list", paths.scoped] };
  if (!listed.data.namespaced) return [inScope];
  return [inScope, { ...common, path: paths.ofAllNamespaces, id: ["list", `${listed.of}ForAllNamespaces`] }];
}

interface ObjectOperation extends Partial<Operation> {
  /** The first word of the operation's ID. */
  readonly verb: string;
  readonly method: Method;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly codes: Operation["codes"];
}

/** An operation on one object or a part of it; omitted values get the usual defaults. */
function onObject({ object, scoped, about, own }: ResourcePaths, { verb, ...given }: ObjectOperation): Operation {
  return { path: object, action: given.method, id: [verb, scoped], about, response: own, ...given };
}

function read(paths: ResourcePaths): Operation {
  const { listed, subresource } = paths;
  const common = {
    method: "get",
    description: `read ${partOf(paths)}the specified ${listed.of}`,
    codes: [200],
  } as const;
  return subresource === "log"
    ? onObject(paths, { verb: "read", ...common, parameters: logParameters, response: "text", isStream: true })
    : onObject(paths, { verb: "read", ...common, parameters: listed.isCustom ? ["resourceVersion"] : [] });
}

const logParameters = [
  "container",
  "follow",
  "insecureSkipTLSVerifyBackend",
  "limitBytes",
  "previous",
  "sinceSeconds",
  "stream",
  "tailLines",
  "timestamps",
].map((name) => `PodLogOptions ${name}`);

function creation(paths: ResourcePaths): Operation {
  const { collection, object, own, listed, subresource } = paths;
  return onObject(paths, {
    verb: "create",
    path: subresource === "" ? collection : object,
    method: "post",
    description: `create ${partOf(paths)}${withArticle(listed.of)}`,
    parameters: writing,
    body: own,
    codes: [200, 201, 202],
  });
}

function replacement(paths: ResourcePaths): Operation {
  return onObject(paths, {
    verb: "replace",
    method: "put",
    description: `replace ${partOf(paths)}the specified ${paths.listed.of}`,
    parameters: writing,
    body: paths.own,
    codes: [200, 201],
  });
}

function patching(paths: ResourcePaths): Operation {
  const { listed } = paths;
  return onObject(paths, {
    verb: "patch",
    method: "patch",
    description: `partially update ${partOf(paths)}the specified ${listed.of}`,
    parameters: ["dryRun", "patch fieldManager", "fieldValidation", "patch force"],
    body: "Patch",
    codes: listed.isCustom ? [200] : [200, 201],
  });
}

function deletion(paths: ResourcePaths): Operation {
  const { own, listed } = paths;
  return onObject(paths, {
    verb: "delete",
    method: "delete",
    description: `delete ${withArticle(listed.of)}`,
    parameters: deleting,
    body: "DeleteOptions",
    response: listed.returnsDeletedObject ? own : "Status",
    codes: [200, 202],
  });
}

function deletionOfMany(paths: ResourcePaths): Operation {
  const { about, listed } = paths;
  return {
    path: paths.collection,
    method: "delete",
    action: "deletecollection",
    description: `delete collection of ${listed.of}`,
    id: ["delete", `Collection${paths.scoped}`],
    about,
    parameters: listed.isCustom ? listing : deletingMany,
    ...(listed.isCustom ? {} : { body: "DeleteOptions" as const }),
    response: "Status",
    codes: [200],
  };
}

/** Deprecated watch paths from before `watch=true`, still listed. */
function watches(paths: ResourcePaths): readonly Operation[] {
  const { about, listed } = paths;
  const deprecated = "deprecated: use the 'watch' parameter with a list operation instead";
  const common = {
    method: "get",
    about,
    parameters: listing,
    response: { group: "", version: "v1", kind: "WatchEvent" },
    codes: [200],
    isWatchable: true,
  } as const;
  const many = {
    ...common,
    action: "watchlist",
    description: `watch individual changes to a list of ${listed.of}. ${deprecated}.`,
  } as const;
  const one: Operation = {
    ...common,
    action: "watch",
    path: paths.watch(paths.object),
    description: `watch changes to an object of kind ${listed.of}. ${deprecated}, filtered to a single item with the 'fieldSelector' parameter.`,
    id: ["watch", paths.scoped],
  };
  const inScope: Operation = { ...many, path: paths.watch(paths.collection), id: ["watch", `${paths.scoped}List`] };
  const all: Operation = {
    ...many,
    path: paths.watch(paths.ofAllNamespaces),
    id: ["watch", `${listed.of}ListForAllNamespaces`],
  };
  const lists = listed.data.namespaced ? [inScope, all] : [inScope];
  return listed.data.verbs.includes("get") ? [...lists, one] : lists;
}

const connectParameters: Readonly<Record<string, readonly string[]>> = {
  attach: ["container", "stderr", "stdin", "stdout", "tty"],
  exec: ["command", "container", "stderr", "stdin", "stdout", "tty"],
  portforward: ["ports"],
  proxy: ["path"],
};

const methodOf: Readonly<Record<string, Method>> = {
  create: "post",
  delete: "delete",
  get: "get",
  patch: "patch",
  update: "put",
};

function connections(paths: ResourcePaths): readonly Operation[] {
  const { about, listed, subresource } = paths;
  const { kind, verbs } = listed.data;
  const methods = verbs.map((verb) => methodOf[verb] ?? "get");
  const isProxy = subresource === "proxy";
  const all: readonly Method[] = isProxy ? [...methods, "options", "head"] : methods;
  const parameters = (connectParameters[subresource] ?? []).map((name) => `${kind} ${name}`);
  return all.flatMap((method) => {
    const operation: Operation = {
      path: paths.object,
      method,
      action: "connect",
      description: `connect ${method.toUpperCase()} requests to ${subresource} of ${listed.of}`,
      id: ["connect", `${capitalized(method)}${paths.scoped}`],
      about,
      parameters,
      response: "text",
      codes: [200],
    };
    if (!isProxy) return [operation];
    const withPath: Operation = {
      ...operation,
      path: `${paths.object}/{path}`,
      id: ["connect", `${operation.id[1]}WithPath`],
      parameters: [...parameters, `${kind} path path`],
    };
    return [operation, withPath];
  });
}
