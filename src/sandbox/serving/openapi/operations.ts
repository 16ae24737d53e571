/** The operations that the OpenAPI documents list for a resource. Source: apiserver v0.36 endpoints/installer.go, apiextensions-apiserver v0.36 pkg/controller/openapi/builder/builder.go. */
import type { ResourceData } from "../../../api/wire/format.ts";
import type { GroupVersionKind } from "./data.ts";

/** A resource or a subresource, as discovery lists it. */
export interface Listed {
  readonly group: string;
  readonly version: string;
  readonly data: ResourceData;
  /** The kind of the resource, also for a subresource; and of its lists. */
  readonly of: string;
  readonly listKind: string;
  /** Defined by a CustomResourceDefinition. */
  readonly isCustom: boolean;
  readonly returnsDeletedObject: boolean;
}

/** A method in lower case, as documents have it. */
export type Method = "get" | "put" | "post" | "delete" | "patch" | "options" | "head";

/** What goes over the wire: a schema by the kind's name, or text. */
export type Content = GroupVersionKind | "Status" | "DeleteOptions" | "Patch" | "text";

/** An operation, before names of schemas and parameters are resolved. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly action: string;
  readonly description: string;
  /** The words of the operation ID around the group and version: `list` … `NamespacedPod`. */
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

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Plurals have none. Source: apiserver v0.36 endpoints/installer.go GetArticleForNoun. */
function withArticle(noun: string): string {
  if (noun.endsWith("s") && !noun.endsWith("ss")) return noun;
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** What all operations of a resource have in common. */
class Paths {
  readonly listed: Listed;
  readonly plural: string;
  readonly subresource: string;
  readonly about: GroupVersionKind;
  /** `Pod`, `NamespacedPodStatus`. */
  readonly scoped: string;
  readonly #root: string;
  readonly #scope: string;

  constructor(listed: Listed) {
    this.listed = listed;
    const { data, of, isCustom } = listed;
    const [plural = "", subresource = ""] = data.name.split("/");
    this.plural = plural;
    this.subresource = subresource;
    const own = { group: listed.group, version: listed.version, kind: of };
    this.about = isCustom
      ? own
      : { group: data.group ?? own.group, version: data.version ?? own.version, kind: data.kind };
    this.#root = listed.group === "" ? `/api/${listed.version}` : `/apis/${listed.group}/${listed.version}`;
    this.#scope = data.namespaced ? "/namespaces/{namespace}" : "";
    this.scoped = `${data.namespaced ? "Namespaced" : ""}${of}${capitalized(subresource)}`;
  }

  get collection(): string {
    return `${this.#root}${this.#scope}/${this.plural}`;
  }

  get ofAllNamespaces(): string {
    return `${this.#root}/${this.plural}`;
  }

  get object(): string {
    return `${this.collection}/{name}${this.subresource === "" ? "" : `/${this.subresource}`}`;
  }

  watch(path: string): string {
    return path.replace(this.#root, `${this.#root}/watch`);
  }

  /** The content of the object, and of what is written. */
  get own(): GroupVersionKind {
    const { data, group, version } = this.listed;
    return { group: data.group ?? group, version: data.version ?? version, kind: data.kind };
  }
}

/** The operations of a resource or a subresource. */
export function operationsOf(listed: Listed): readonly Operation[] {
  const paths = new Paths(listed);
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

/** `status of the specified `, nothing for the object itself. */
const partOf = ({ subresource }: Paths): string => (subresource === "" ? "" : `${subresource} of `);

function lists(paths: Paths): readonly Operation[] {
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

function read(paths: Paths): Operation {
  const { about, own, listed, subresource } = paths;
  const isLog = subresource === "log";
  return {
    path: paths.object,
    method: "get",
    action: "get",
    description: `read ${partOf(paths)}the specified ${listed.of}`,
    id: ["read", paths.scoped],
    about,
    parameters: isLog ? logParameters : listed.isCustom ? ["resourceVersion"] : [],
    response: isLog ? "text" : own,
    codes: [200],
    ...(isLog && { isStream: true }),
  };
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

function creation(paths: Paths): Operation {
  const { about, own, listed, subresource } = paths;
  return {
    path: subresource === "" ? paths.collection : paths.object,
    method: "post",
    action: "post",
    description: `create ${partOf(paths)}${withArticle(listed.of)}`,
    id: ["create", paths.scoped],
    about,
    parameters: writing,
    body: own,
    response: own,
    codes: [200, 201, 202],
  };
}

function replacement(paths: Paths): Operation {
  const { about, own, listed } = paths;
  return {
    path: paths.object,
    method: "put",
    action: "put",
    description: `replace ${partOf(paths)}the specified ${listed.of}`,
    id: ["replace", paths.scoped],
    about,
    parameters: writing,
    body: own,
    response: own,
    codes: [200, 201],
  };
}

function patching(paths: Paths): Operation {
  const { about, own, listed } = paths;
  return {
    path: paths.object,
    method: "patch",
    action: "patch",
    description: `partially update ${partOf(paths)}the specified ${listed.of}`,
    id: ["patch", paths.scoped],
    about,
    parameters: ["dryRun", "patch fieldManager", "fieldValidation", "patch force"],
    body: "Patch",
    response: own,
    codes: listed.isCustom ? [200] : [200, 201],
  };
}

function deletion(paths: Paths): Operation {
  const { about, own, listed } = paths;
  return {
    path: paths.object,
    method: "delete",
    action: "delete",
    description: `delete ${withArticle(listed.of)}`,
    id: ["delete", paths.scoped],
    about,
    parameters: deleting,
    body: "DeleteOptions",
    response: listed.returnsDeletedObject ? own : "Status",
    codes: [200, 202],
  };
}

function deletionOfMany(paths: Paths): Operation {
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

/** Paths from before `watch=true`, still listed. */
function watches(paths: Paths): readonly Operation[] {
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

function connections(paths: Paths): readonly Operation[] {
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
