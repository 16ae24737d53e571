/**
 * Maps owner references to kinds that can be requested. Source: kubernetes v1.36 pkg/controller/garbagecollector/operations.go apiResource.
 */
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { NodeKind } from "./node.ts";

const watchable = ["delete", "list", "watch"] as const;
/** Events own nothing, and there are many of them. */
const ignored = new Set(["", "events.k8s.io"]);

/** The kinds in the graph: one version of each resource, the preferred one if it has the resource. */
export function kindsOfGraph(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const chosen = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`;
    // Each group's preferred version comes first.
    if (!chosen.has(name)) chosen.set(name, kind);
  }
  return [...chosen.values()].filter(
    ({ verbs, plural, group }) =>
      watchable.every((verb) => verbs.includes(verb)) && !(plural === "events" && ignored.has(group)),
  );
}

/** Every kind and version that the server has; filled by discovery. */
export class KnownKinds {
  #kinds = new Map<string, Kind>();
  #names = new WeakMap<Kind, NodeKind>();

  set(kinds: readonly Kind[]): void {
    this.#kinds = new Map();
    for (const kind of kinds) {
      const name = `${apiVersionOf(kind)} ${kind.kind}`;
      if (!this.#kinds.has(name)) this.#kinds.set(name, kind);
    }
  }

  /** @throws Error for a kind that the server does not have; it may have it later. */
  find({ apiVersion, kind }: NodeKind): Kind {
    const found = this.#kinds.get(`${apiVersion} ${kind}`);
    if (found !== undefined) return found;
    throw new Error(
      `Cannot look up ${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}: the API server has no such kind in ${apiVersion}; discovery runs again every 30 s`,
    );
  }

  /** The kind as its nodes refer to it: one shared value. */
  nameOf(kind: Kind): NodeKind {
    let name = this.#names.get(kind);
    if (name === undefined) {
      name = { apiVersion: apiVersionOf(kind), kind: kind.kind };
      this.#names.set(kind, name);
    }
    return name;
  }
}
