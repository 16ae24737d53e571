/**
 * Requests of every form to every kind: metadata, wrong types, patches, statuses, subresources, deletions. The seeds are those whose
 * responses are identical on both servers; random.cluster.test.ts uses other seeds, and compares only the statuses.
 */
import { seededRandom } from "../../../src/platform/random.ts";
import { loadApiData } from "../../../src/api/wire/load.ts";
import { resourceRegistryOf } from "../../../src/sandbox/registry/resource.ts";
import type { Case, Table } from "../case.ts";
import { examples } from "../wild/examples.ts";
import { wildRequests } from "../wild/requests.ts";
import { equalSeeds } from "./kind-requests/seeds.ts";

const length = 5;
const registry = resourceRegistryOf(await loadApiData());

const cases = examples.flatMap((example): Case[] => {
  const kind = `${example.apiVersion} ${example.plural}`;
  const resource = registry.find(example.apiVersion, example.plural);
  if (resource?.struct === undefined) return [];
  const { struct, subresources } = resource;
  return (equalSeeds[kind] ?? []).map((seed) => ({
    ...wildRequests(seededRandom(seed), example, { struct, schema: registry.schema, subresources, length }),
    name: `${kind}, seed ${seed}`,
  }));
});

export const kindRequests: Table = { name: "kinds-requests", cases };
