/** From owner references to kinds that can be asked for. Source: kubernetes v1.36 pkg/controller/garbagecollector/operations.go apiResource. */
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { NodeKind } from "./node.ts";

const watchable = ["delete", "list", "watch"] as const;
/** Nothing owns by an Event, and there are many. */
const ignored = new Set(["", "events.k8s.io"]);

/** The kinds that the graph holds: of each resource one version, the preferred one where it has it. */
export function kindsOfGraph(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const chosen = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`;
    // Of each group the preferred version comes first.
    if (!chosen.has(name)) chosen.set(name, kind);
  }
  return [...chosen.values()].filter(
    ({ verbs, plural, group }) =>
      watchable.every((verb) => verbs.includes(verb)) && !(plural === "events" && ignored.has(group)),
  );
}

/** Every kind and version that the server has. Filled by discovery. */
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

  /** @throws Error for a kind that the server does not have: it may have it later. */
  find({ apiVersion, kind }: NodeKind): Kind {
    const found = this.#kinds.get(`${apiVersion} ${kind}`);
    if (found !== undefined) return found;
    throw new Error(
      `Cannot look up ${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}: the API server has no such kind in ${apiVersion}; it is asked again every 30 s`,
    );
  }

  /** What the kind's nodes are of: one value for all of them. */
  nameOf(kind: Kind): NodeKind {
    let name = this.#names.get(kind);
    if (name === undefined) {
      name = { apiVersion: apiVersionOf(kind), kind: kind.kind };
      this.#names.set(kind, name);
    }
    return name;
  }
}
