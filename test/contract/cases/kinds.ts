/**
 * Objects of every kind with something wild in one or a few fields: creations, and updates of an existing object. The seeds are those whose
 * requests meet no known difference; random.cluster.test.ts uses other seeds.
 */
import { seededRandom } from "../../../src/platform/random.ts";
import { loadApiData } from "../../../src/api/wire/load.ts";
import { resourceRegistryOf } from "../../../src/sandbox/registry/resource.ts";
import type { Case, Table } from "../case.ts";
import { examples } from "../wild/examples.ts";
import { wildCase } from "../wild/wild.ts";

/** Seeds of the kinds for which the first seed meets a difference. */
const seeds: Readonly<Record<string, number>> = {
  "v1 persistentvolumeclaims": 10,
  "policy/v1 poddisruptionbudgets": 2,
  "networking.k8s.io/v1 ingresses": 7,
  "networking.k8s.io/v1 networkpolicies": 4,
  "networking.k8s.io/v1 ingressclasses": 4,
  "storage.k8s.io/v1 storageclasses": 14,
  "resource.k8s.io/v1 deviceclasses": 2,
  "admissionregistration.k8s.io/v1 validatingadmissionpolicies": 2,
};

/**
 * Kinds for which each seed meets a difference: values that the real server prints as its Go types, maps that it iterates in any order, and
 * differences that are not examined here.
 */
const leftOut = new Set([
  "v1 serviceaccounts",
  "v1 podtemplates",
  "v1 pods",
  "v1 services",
  "apps/v1 statefulsets",
  "batch/v1 jobs",
  "node.k8s.io/v1 runtimeclasses",
  "storage.k8s.io/v1 volumeattachments",
  "resource.k8s.io/v1 resourceclaims",
  "resource.k8s.io/v1 resourceclaimtemplates",
  "authentication.k8s.io/v1 tokenreviews",
  "authorization.k8s.io/v1 selfsubjectrulesreviews",
  "v1 configmaps",
  "v1 secrets",
  "v1 limitranges",
  "v1 resourcequotas",
  "v1 persistentvolumes",
  "v1 nodes",
  "resource.k8s.io/v1 resourceslices",
  "authorization.k8s.io/v1 subjectaccessreviews",
  "authorization.k8s.io/v1 selfsubjectaccessreviews",
  "apps/v1 deployments",
  "apps/v1 replicasets",
  "apps/v1 daemonsets",
  "batch/v1 cronjobs",
  "v1 replicationcontrollers",
  "storage.k8s.io/v1 csistoragecapacities",
]);

const requests = 6;
const registry = resourceRegistryOf(await loadApiData());

const cases = examples.flatMap((example): Case[] => {
  const name = `${example.apiVersion} ${example.plural}`;
  const struct = registry.find(example.apiVersion, example.plural)?.struct;
  if (struct === undefined || leftOut.has(name)) return [];
  return [wildCase(seededRandom(seeds[name] ?? 1), example, { struct, schema: registry.schema, length: requests })];
});

export const wildKinds: Table = { name: "kinds", cases };
