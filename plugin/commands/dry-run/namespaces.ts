/** The namespaces of a dry run. */
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { type Manifest, ManifestError, problemOf } from "../../manifests/manifests.ts";
import { nearest } from "../../cli/nearest.ts";
import { MissingNamespace, namespaceExists } from "../../names/missing-namespace.ts";
import { isOf } from "../../manifests/unknown-kinds.ts";
import type { ChangeFlags } from "./requested-changes.ts";

/**
 * Refuses a missing namespace, unless a manifest creates it.
 * @throws MissingNamespace, or a ManifestError with the line of the manifest that names it.
 */
export async function refuseMissingNamespaces(
  client: Client,
  namespaces: readonly string[],
  { manifests, baseline }: ChangeFlags,
): Promise<void> {
  const all = [...baseline, ...manifests];
  const made = namespacesMade(all);
  for (const name of namespaces.filter((each) => !made.has(each))) {
    try {
      await namespaceExists(client, name);
    } catch (error) {
      if (!(error instanceof MissingNamespace)) throw error;
      const naming = all.filter(({ object }) => object.metadata.namespace === name);
      if (naming.length === 0) throw error;
      throw new ManifestError(
        `${error.message} on the cluster, and no manifest creates it`,
        naming.map((manifest) => problemOf(manifest, "metadata.namespace", error.message)),
        error.next,
      );
    }
  }
}

/** The namespaces that manifests create. */
function namespacesMade(manifests: readonly Manifest[]): ReadonlySet<string | undefined> {
  return new Set(manifests.filter(isNamespace).map(({ object }) => object.metadata.name));
}

/** All namespaces that manifests and options refer to. */
export function namespacesUsed(words: ChangeFlags, namespace: string, kinds: readonly DiscoveredKind[]): string[] {
  const manifests = [...words.manifests, ...words.baseline];
  const used = manifests
    .filter(({ object }) => kinds.find((kind) => isOf(object, kind))?.namespaced !== false)
    .map(({ object }) =>
      isNamespace({ object }) ? (object.metadata.name ?? "") : (object.metadata.namespace ?? namespace),
    );
  const deleted = deletedNamespaces(words);
  const named = [...words.deletes, ...words.scales].length > deleted.length ? [namespace] : [];
  return [...new Set([...used, ...named, ...deleted])].sort();
}

/** Namespaces that every cluster has. */
const alwaysThere: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public", "kube-node-lease"]);

/** The namespaces of an empty cluster that no manifest creates. */
export interface AssumedNamespaces {
  /** All of them; they exist from the start. */
  readonly names: readonly string[];
  /** Those that may be mistakes, with the reason: manifests create others, but not these. */
  readonly doubtful: ReadonlyMap<string, string>;
  /** A sentence about those that are not doubtful; empty if there are none. */
  readonly notes: readonly string[];
}

/** @param explicit the namespace of `-n`; `saved`: those of objects saved from a cluster, which has them. */
export function assumedNamespaces(
  words: ChangeFlags,
  {
    used,
    explicit,
    saved,
  }: { readonly used: readonly string[]; readonly explicit?: string; readonly saved: ReadonlySet<string> },
): AssumedNamespaces {
  const made = namespacesMade([...words.manifests, ...words.baseline]);
  const names = used.filter((name) => !made.has(name) && name !== "default");
  const open = names.filter((name) => !alwaysThere.has(name) && !saved.has(name));
  const isDoubtful = (name: string): boolean => made.size > 0 && name !== explicit;
  const created = [...made].flatMap((name = "") => name);
  const doubtful = open.filter(isDoubtful).map((name): [string, string] => {
    const near = nearest(name, created);
    return [name, `no manifest creates Namespace ${name}${near === undefined ? "" : `: did you mean ${near}?`}`];
  });
  const assumed = open.filter((name) => !isDoubtful(name));
  return {
    names,
    doubtful: new Map(doubtful),
    notes: assumed.length === 0 ? [] : [`no manifest creates ${namesText(assumed)}, assumed to exist`],
  };
}

function namesText(names: readonly string[]): string {
  return `${names.length === 1 ? "Namespace" : "Namespaces"} ${names.join(", ")}`;
}

/** The namespaces whose manifests `--prune` misses. */
export function prunedNamespaces({ prune, manifests, baseline }: ChangeFlags): readonly string[] {
  const kept = namespacesMade(manifests);
  return prune ? [...namespacesMade(baseline)].flatMap((name = "") => (kept.has(name) ? [] : [name])) : [];
}

/** The namespaces that `--delete` names. */
export function deletedNamespaces({ deletes }: ChangeFlags): readonly string[] {
  return deletes.flatMap((text) => /^(?:namespaces?|ns)\/(.+)$/.exec(text)?.[1] ?? []);
}

function isNamespace({ object }: Pick<Manifest, "object">): boolean {
  return object.kind === "Namespace" && object.apiVersion === "v1";
}
