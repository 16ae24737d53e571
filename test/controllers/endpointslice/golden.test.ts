/** Placement of endpoints in slices, compared with upstream's functions: `bun scripts/upstream-golden/extract.ts endpointslice`. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EndpointSlices, Nodes, Pods, Services } from "../../../src/api/kinds.ts";
import type { EndpointPort, EndpointSlice, Pod } from "../../../src/api/types.ts";
import { defineEndpointSliceController } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { inOrder } from "../../../src/controller/workload/service/slice-ports.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { endpointOf, nodeOf, podOf, serviceOf, sliceOf } from "./objects.ts";

function golden(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dir, "golden", `${name}.json`), "utf8"));
}

interface Placement {
  readonly max: number;
  readonly slices: readonly {
    readonly same: number;
    readonly changed: number;
    readonly gone: number;
    readonly labels: boolean;
  }[];
  readonly added: number;
  readonly writes: {
    readonly created: readonly number[];
    readonly updated: readonly (readonly [before: number, after: number])[];
    readonly deleted: readonly number[];
  };
}

const sizeOf = (slice: unknown): number => (slice as EndpointSlice).endpoints?.length ?? -1;
const ascending = (a: number, b: number): number => a - b;

describe("the slices that a sync writes", () => {
  const cases = golden("placements") as readonly Placement[];

  test("there are cases of every kind of write", () => {
    expect(cases.length).toBeGreaterThan(100);
    for (const write of ["created", "updated", "deleted"] as const)
      expect(cases.filter(({ writes }) => writes[write].length > 0).length).toBeGreaterThan(10);
  });

  test("are as many and as large as upstream's", async () => {
    for (const one of cases) expect({ ...one, writes: await written(one) }).toEqual(one);
  });
});

/** The writes of one sync with these slices. */
async function written({ max, slices, added }: Placement): Promise<Placement["writes"]> {
  const scene = syncScene(defineEndpointSliceController({ maxPerSlice: max }));
  scene.put(Services, serviceOf({ meta: { labels: { team: "red" } } }));
  scene.put(Nodes, nodeOf("node-1"));
  const sizes = new Map<string, number>();
  for (const [i, { same, changed, gone, labels }] of slices.entries()) {
    const pods = podsOf(`pod-${i}`, same + changed + gone, i);
    const { metadata, ...slice } = sliceOf(
      `slice-${i}`,
      pods.map((pod) => endpointOf(pod)),
    );
    const team = labels ? "blue" : "red";
    scene.put(EndpointSlices, { ...slice, metadata: { ...metadata, labels: { ...metadata.labels, team } } });
    sizes.set(`slice-${i}`, pods.length);
    const unready = (pod: Pod): Pod => podOf(pod.metadata.name, { ips: [pod.status?.podIP ?? ""], ready: false });
    scene.put(Pods, ...pods.slice(0, same), ...pods.slice(same, same + changed).map(unready));
  }
  scene.put(Pods, ...podsOf("new", added, 99));
  await scene.sync("shop/web");
  const of = (verb: string): Scene["calls"] => scene.calls.filter((call) => call.verb === verb);
  const sizeBefore = ({ name }: { readonly name: string }): number => sizes.get(name) ?? -1;
  return {
    created: of("create")
      .map(({ body }) => sizeOf(body))
      .sort(ascending),
    updated: of("update")
      .map((call) => [sizeBefore(call), sizeOf(call.body)] as const)
      .sort(([a, b], [c, d]) => a - c || b - d),
    deleted: of("delete").map(sizeBefore).sort(ascending),
  };
}

function podsOf(name: string, count: number, subnet: number): readonly Pod[] {
  return Array.from({ length: count }, (_, k) => podOf(`${name}-${k}`, { ips: [`10.${subnet}.0.${k + 1}`] }));
}

test("ports are in the order of their hashes", () => {
  const cases = golden("ports") as readonly (readonly [readonly EndpointPort[], readonly EndpointPort[]])[];
  expect(cases.filter(([, sorted]) => sorted.length > 2).length).toBeGreaterThan(10);
  for (const [ports, sorted] of cases) expect(inOrder(ports)).toEqual(sorted);
});

interface ZoneCase {
  readonly cpus: Readonly<Record<string, string>>;
  readonly ready: Readonly<Record<string, number>>;
  readonly unready: number;
  readonly hints?: Readonly<Record<string, number>>;
  readonly event: string;
}

describe("hints by zones", () => {
  const cases = golden("zones") as readonly ZoneCase[];

  test("there are cases with hints and without, for each reason", () => {
    const events = new Set(cases.map(({ event }) => event.replace(/\(.*\)/, "")));
    expect(events.size).toBe(4);
  });

  test("are as many as upstream's, or missing for the same reason", async () => {
    for (const one of cases) expect({ ...one, ...(await hinted(one)) }).toEqual({ hints: {}, ...one });
  });
});

async function hinted({ cpus, ready, unready }: ZoneCase): Promise<Pick<ZoneCase, "hints" | "event">> {
  const scene = syncScene(defineEndpointSliceController({ maxPerSlice: 100 }));
  scene.put(Services, serviceOf({ meta: { annotations: { "service.kubernetes.io/topology-mode": "Auto" } } }));
  for (const [zone, cpu] of Object.entries(cpus)) {
    const node = nodeOf(zone, { zone, cpu });
    scene.put(Nodes, node);
    scene.notify(Nodes, { type: "added", object: node, initial: true });
    for (let k = 0; k < (ready[zone] ?? 0); k++) scene.put(Pods, podOf(`${zone}-${k}`, { spec: { nodeName: zone } }));
  }
  const [nodeName = ""] = Object.keys(cpus);
  for (let k = 0; k < unready; k++) scene.put(Pods, podOf(`not-${k}`, { ready: false, spec: { nodeName } }));
  await scene.sync("shop/web");
  const names = scene.calls
    .flatMap(({ body }) => (body as EndpointSlice).endpoints ?? [])
    .flatMap(({ hints }) => hints?.forZones ?? []);
  const hints: Record<string, number> = {};
  for (const { name } of names) hints[name] = (hints[name] ?? 0) + 1;
  return { hints, event: scene.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`).join() };
}
