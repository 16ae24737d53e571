/** EndpointSlices. Scripts create nodes, bind pods and write the status of both. */
import type { Kind } from "../../../src/api/kind.ts";
import { EndpointSlices, Pods } from "../../../src/api/kinds.ts";
import { endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { type Allowed, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, podState } from "../objects.ts";
import type { SliceObject } from "../scripts/endpoints/acts.ts";
import { isSettled } from "../scripts/endpoints/desired.ts";
import { randomScript } from "../scripts/endpoints/grammar.ts";
import { pods } from "../scripts/endpoints/pods.ts";
import { services } from "../scripts/endpoints/services.ts";
import { slices } from "../scripts/endpoints/slices.ts";
import { standing } from "../normalize.ts";
import type { Names } from "../step-record.ts";
import type { Suite } from "../suite.ts";

const text = (endpoint: object): string => JSON.stringify(endpoint);

interface SliceParts extends SliceObject {
  readonly metadata: SliceObject["metadata"] & { readonly generation?: number };
  readonly ports?: readonly object[] | null;
}

/** Sorts endpoints; null means none. Which slice replaces which, and so its number of writes, is random: the generation is dropped. */
function arranged<T extends object>(slice: T): T {
  const { endpoints, ports, metadata } = slice as unknown as Partial<SliceParts>;
  if (metadata === undefined || (endpoints === undefined && ports === undefined)) return slice;
  const { generation: _count, ...meta } = metadata;
  const sorted = [...(endpoints ?? [])].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...slice, metadata: meta, endpoints: sorted, ports: ports ?? [] };
}

/** The order in which a Service's slices were created is random. */
function learn(names: Names, objects: (kind: Kind) => readonly AnyObject[]): void {
  for (const { metadata } of objects(EndpointSlices)) {
    const stable = `${metadata.generateName ?? metadata.name}SUFFIX`;
    names.generated.set(metadata.name, stable);
    names.uids.set(metadata.uid, `uid of EndpointSlice ${stable}`);
  }
}

const retried: Allowed = {
  id: "a sync with an outdated cache",
  category: "noise",
  upstream: "staging/src/k8s.io/endpointslice/util/endpointslice_tracker.go:StaleSlices",
  why: "a slice that is not in the cache yet is written again, and the server rejects that",
  matches: ({ what }) => /^(update|delete) endpointslices\S* (404|409)$/.test(what),
};

export const endpointSlice: Suite = {
  name: "endpointslice",
  oracle: "endpointslice-controller",
  ours: [endpointslice],
  // It may delete the slices of a deleted Service first.
  runsWithout: ["garbage-collector"],
  serviceRanges: ["10.0.0.0/16", "fd00::/108"],
  kinds: [
    { kind: EndpointSlices, compared: (object: AnyObject) => arranged(standing(object)) },
    { kind: Pods, compared: podState },
  ],
  arranged,
  learn,
  isSettled,
  hasPendingWrites: async (_log, stage) => !(await isSettled(stage)),
  scripts: [...pods, ...services, ...slices],
  random: randomScript,
  seeds: { short: 3, long: 100 },
  randomSteps: 20,
  width: 16,
  differences: [ownFieldManager, noBodyOfDelete, retried],
};
