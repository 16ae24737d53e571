/** Applies manifests to our own cluster. */
import { apiVersionOf, type Kind } from "../../src/api/kind.ts";
import type { StoredObject, CreateInput } from "../../src/api/object.ts";
import { isAlreadyExists, StatusError } from "../../src/api/status-error.ts";
import { discover, type DiscoveredKind } from "../../src/client/api/discovery.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { sleep, type Timeline } from "../../src/platform/timeline.ts";
import { definedKinds } from "./custom-kinds.ts";
import { whyUnknown } from "./unknown-kinds.ts";
import { type Manifest, placeOf } from "./manifests.ts";
import { statusErrorLines } from "./status-errors.ts";
import { UserError } from "../cli/user-error.ts";

/** Kinds that must be applied before the objects that need them. */
const firstKinds = [
  "CustomResourceDefinition",
  "Namespace",
  "PriorityClass",
  "ServiceAccount",
  "LimitRange",
  "ResourceQuota",
  "ConfigMap",
  "Secret",
];

function rank({ object }: Manifest): number {
  const index = firstKinds.indexOf(object.kind);
  return index < 0 ? firstKinds.length : index;
}

/** A manifest that was applied, and whether its object existed. */
export interface Applied {
  readonly manifest: Manifest;
  readonly did: "created" | "configured";
}

/**
 * Creates each object, or merges it into the existing one; namespaces and other prerequisites go first. Only for our own cluster, which is
 * discarded if anything is rejected.
 * @throws UserError that names each rejected object, with the field and the reason.
 */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  { namespace, timeline }: { readonly namespace: string; readonly timeline: Timeline },
): Promise<readonly Applied[]> {
  let { kinds } = await discover(client);
  let definitionsApplied = 0;
  const problems = new Map<Manifest, readonly string[]>();
  const applied: Applied[] = [];
  // Sorting is stable: within a rank, objects keep their order.
  for (const manifest of manifests.toSorted((a, b) => rank(a) - rank(b))) {
    const { apiVersion, kind } = manifest.object;
    if (kind !== definitionKind && definitionsApplied > 0) {
      // The remaining objects may be of their kinds.
      kinds = await kindsOnceServed(client, { applied, timeline });
      definitionsApplied = 0;
    }
    const found = kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    if (found === undefined) {
      problems.set(manifest, [
        `${placeOf(manifest)}: the sandbox does not serve it: ${whyUnknown(manifest.object, kinds)}`,
      ]);
      continue;
    }
    try {
      applied.push({ manifest, did: await apply(client, found, manifest, namespace) });
      if (kind === definitionKind) definitionsApplied++;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      problems.set(manifest, statusErrorLines(placeOf(manifest), error));
    }
  }
  if (problems.size > 0) {
    const refused = manifests.length === 1 ? "the object was" : `${problems.size} of ${manifests.length} objects were`;
    throw new UserError(`${refused} refused, and nothing was started`, [...problems.values()].flat());
  }
  return applied;
}

const definitionKind = "CustomResourceDefinition";

/** How many times to check whether the kinds of definitions are served; in a sandbox the second check finds them. */
const mostLooks = 100;

/** All kinds, once they include those of the applied definitions. A definition whose names are taken is never served. */
async function kindsOnceServed(
  client: Client,
  { applied, timeline }: { readonly applied: readonly Applied[]; readonly timeline: Timeline },
): Promise<readonly DiscoveredKind[]> {
  const defined = applied.flatMap(({ manifest }) => definedKinds(manifest.object));
  for (let look = 1; ; look++) {
    const { kinds } = await discover(client);
    // Some of its versions may not be served.
    const isServed = ({ group, kind }: Kind): boolean =>
      kinds.some((each) => each.kind === kind && each.group === group);
    if (look === mostLooks || defined.every(isServed)) return kinds;
    await sleep(timeline, 10, "manifests");
  }
}

async function apply(client: Client, kind: Kind, { object }: Manifest, namespace: string): Promise<Applied["did"]> {
  const at = kind.namespaced ? (object.metadata.namespace ?? namespace) : "";
  const metadata = { ...object.metadata, ...(kind.namespaced && { namespace: at }) };
  try {
    const whole = { ...object, metadata } as CreateInput<StoredObject>;
    await client.create(kind, whole, { fieldValidation: "Strict" });
    return "created";
  } catch (error) {
    const { name } = metadata;
    if (!isAlreadyExists(error) || name === undefined) throw error;
    await client.patch(kind, { namespace: at, name }, { type: "merge", body: object }, { fieldValidation: "Strict" });
    return "configured";
  }
}
