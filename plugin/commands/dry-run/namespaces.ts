/** The namespaces of a dry run. */
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { type Manifest, ManifestError, problemOf } from "../../manifests/manifests.ts";
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
export function namespacesMade(manifests: readonly Manifest[]): ReadonlySet<string | undefined> {
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
