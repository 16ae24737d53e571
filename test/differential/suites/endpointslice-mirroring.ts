/** Endpoints written by users, and the EndpointSlices that mirror them. */
import type { Kind } from "../../../src/api/kind.ts";
import { EndpointSlices } from "../../../src/api/kinds.ts";
import { defineMirroringController } from "../../../src/controllers/endpointslice-mirroring/endpointslice-mirroring.ts";
import { known } from "../kinds.ts";
import { type Allowed, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import type { AnyObject } from "../objects.ts";
import { isMirrored, mostOfSubset } from "../scripts/endpointslice-mirroring/acts.ts";
import { randomScript } from "../scripts/endpointslice-mirroring/grammar.ts";
import { scripts } from "../scripts/endpointslice-mirroring/index.ts";
import { standing } from "../normalize.ts";
import type { Names } from "../step-record.ts";
import type { Suite } from "../suite.ts";

const text = (endpoint: object): string => JSON.stringify(endpoint);

interface SliceContent {
  readonly metadata: { readonly generation?: number };
  readonly endpoints?: readonly object[] | null;
  readonly ports?: readonly object[] | null;
}

/** Sorts endpoints; null means none. Which slice replaces which, and so its number of writes, is random: the generation is dropped. */
function arranged<T extends object>(slice: T): T {
  const { endpoints, ports, metadata } = slice as unknown as Partial<SliceContent>;
  if (metadata === undefined || (endpoints === undefined && ports === undefined)) return slice;
  const { generation: _count, ...meta } = metadata;
  const sorted = [...(endpoints ?? [])].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...slice, metadata: meta, endpoints: sorted, ports: ports ?? [] };
}

/** The order in which the slices were created is random. A replaced slice has no generateName, so the suffix is cut from its name. */
function learn(names: Names, objects: (kind: Kind) => readonly AnyObject[]): void {
  for (const { metadata } of objects(EndpointSlices)) {
    const stable = metadata.name.replace(/-[a-z0-9]{5}$/, "-SUFFIX");
    names.generated.set(metadata.name, stable);
    names.uids.set(metadata.uid, `uid of EndpointSlice ${stable}`);
  }
}

const early: Allowed = {
  id: "a slice whose deletion is not in the cache yet",
  category: "noise",
  upstream: "pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go:deleteMirroredSlices",
  why: "a slice of Endpoints that are no longer mirrored is deleted again, and not found",
  matches: ({ what }) => /^(update|delete) endpointslices\S* 404$/.test(what),
};

const mistaken: Allowed = {
  id: "a new slice is confused with that of the other IP family",
  category: "noise",
  upstream: "pkg/controller/endpointslicemirroring/reconciler_helpers.go:removeSlice",
  why: "new slices have no names yet by which it could distinguish them: it creates one with the name of an existing slice, and retries",
  matches: ({ what }) => /^create endpointslices\S* 409$/.test(what),
};

const inTurn: Allowed = {
  id: "which of several new slices replaces one that would be deleted",
  category: "noise",
  upstream: "pkg/controller/endpointslicemirroring/reconciler.go:reconcile",
  why: "it iterates over sets of ports in the order of a Go map; the slices are compared completely after the step",
  matches: ({ what, path }) =>
    /^(create|update) endpointslices\S* 20[01]$/.test(what) && /^\.body\.(endpoints|ports)\b/.test(path),
};

export const endpointSliceMirroring: Suite = {
  name: "endpointslice-mirroring",
  oracle: "endpointslice-mirroring-controller",
  oracleFlags: [`--mirroring-max-endpoints-per-subset=${mostOfSubset}`],
  ours: [defineMirroringController({ maxPerSubset: mostOfSubset })],
  // It may delete the slices of a deleted Service first.
  runsWithout: ["garbage-collector"],
  serviceRanges: ["10.0.0.0/16", "fd00::/108"],
  kinds: [
    { kind: EndpointSlices, compared: (object: AnyObject) => arranged(standing(object)) },
    { kind: known.endpoints },
  ],
  arranged,
  learn,
  isSettled: isMirrored,
  hasPendingWrites: async (_log, stage) => !(await isMirrored(stage)),
  // A retry of an earlier sync can run before the cache shows the last write.
  repeated: (what) => what.startsWith("update endpointslices"),
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  randomSteps: 20,
  width: 16,
  differences: [ownFieldManager, noBodyOfDelete, early, mistaken, inTurn],
};
