/** Services without a selector, the Endpoints that users write for them, and the slices that mirror them. */
import { deepEqual } from "../../../../src/api/deep-equal.ts";
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

/** The maximum number of mirrored addresses per subset here, low enough for scripts to exceed it. */
export const mostOfSubset = 4;
export const managedBy = "endpointslice.kubernetes.io/managed-by";
export const mirroring = "endpointslicemirroring-controller.k8s.io";
export const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
export const skip: Readonly<Record<string, string>> = { [skipLabel]: "true" };
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
export const leader: Readonly<Record<string, string>> = { [leaderAnnotation]: "{}" };

export const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });

export const httpPort = { name: "http", port: 80 } as const;
export const dnsPort = { name: "dns", port: 53, protocol: "UDP" } as const;
export const h2cPort = { name: "h2c", port: 81, appProtocol: "kubernetes.io/h2c" } as const;

/** A subset of ready and unready addresses. */
export function subset(
  ips: readonly string[],
  ports: readonly object[] = [httpPort],
  notReady: readonly string[] = [],
): object {
  const of = (all: readonly string[]): object[] => all.map((ip) => ({ ip }));
  return { addresses: of(ips), notReadyAddresses: of(notReady), ports };
}

export function makeService(stage: Stage, spec: object = {}, name = "web"): Promise<unknown> {
  return stage.create("services", { metadata: { name }, spec: { ports: [{ name: "http", port: 80 }], ...spec } });
}

export function makeEndpoints(stage: Stage, subsets: readonly object[], metadata: object = {}): Promise<unknown> {
  return stage.create("endpoints", { metadata: { name: "web", ...metadata }, subsets });
}

export const service: Step = act("create a Service without a selector", (stage) => makeService(stage));
export const endpoints = (name: string, subsets: readonly object[], metadata: object = {}): Step =>
  act(`create Endpoints: ${name}`, (stage) => makeEndpoints(stage, subsets, metadata));
export const change = (name: string, body: object): Step => act(name, (stage) => stage.patch("endpoints", "web", body));
export const subsets = (name: string, all: readonly object[] | null): Step => change(name, { subsets: all });

interface Texts {
  readonly [name: string]: string;
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

interface ServiceObject extends Named {
  readonly spec: { readonly selector?: object };
}

interface EndpointsObject extends Named {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly notReadyAddresses?: readonly { readonly ip: string }[];
  }[];
}

export interface MirrorSlice extends Named {
  readonly endpoints?:
    readonly { readonly addresses: readonly string[]; readonly conditions: { ready?: boolean } }[] | null;
}

/** The controller's slices, sorted by their addresses. */
export async function mirrorSlices(stage: Stage): Promise<readonly MirrorSlice[]> {
  const all = (await stage.list(EndpointSlices)) as unknown as readonly MirrorSlice[];
  const text = ({ endpoints }: MirrorSlice): string => JSON.stringify((endpoints ?? []).map((each) => each.addresses));
  return all
    .filter(({ metadata }) => metadata.labels?.[managedBy] === mirroring)
    .toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Whether the slices match the Endpoints, computed independently. Of too many addresses, any subset is accepted. */
export async function isMirrored(stage: Stage): Promise<boolean> {
  const [services, all, slices] = await Promise.all([
    stage.list("services") as Promise<unknown>,
    stage.list("endpoints") as Promise<unknown>,
    mirrorSlices(stage),
  ]);
  const named = (slice: MirrorSlice): string => slice.metadata.labels?.["kubernetes.io/service-name"] ?? "";
  const wanted = (all as readonly EndpointsObject[]).filter(({ metadata: { name, labels, annotations } }) => {
    const of = (services as readonly ServiceObject[]).find(({ metadata }) => metadata.name === name);
    const isLeftOut = labels?.[skipLabel] === "true" || annotations?.[leaderAnnotation] !== undefined;
    return of !== undefined && of.spec.selector === undefined && !isLeftOut;
  });
  return (
    slices.every((slice) => wanted.some(({ metadata }) => metadata.name === named(slice))) &&
    wanted.every((one) =>
      isShown(
        one,
        slices.filter((slice) => named(slice) === one.metadata.name),
      ),
    )
  );
}

function isShown({ metadata, subsets = [] }: EndpointsObject, slices: readonly MirrorSlice[]): boolean {
  const wanted = new Set(
    subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
      ...addresses.map(({ ip }) => `${usual(ip)} true`),
      ...notReadyAddresses.map(({ ip }) => `${usual(ip)} false`),
    ]),
  );
  const has = new Set(
    slices.flatMap(({ endpoints }) => (endpoints ?? []).map((each) => `${each.addresses[0]} ${each.conditions.ready}`)),
  );
  const isWhole = [...wanted].every((one) => has.has(one)) || has.size >= mostOfSubset;
  return (
    isWhole &&
    [...has].every((one) => wanted.has(one)) &&
    slices.every(({ metadata: { labels, annotations, ownerReferences } }) => {
      const { [managedBy]: _by, "kubernetes.io/service-name": _of, ...own } = labels ?? {};
      const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...notes } = metadata.annotations ?? {};
      return (
        deepEqual(own, metadata.labels ?? {}) &&
        deepEqual(annotations ?? {}, notes) &&
        ownerReferences?.[0]?.uid === metadata.uid
      );
    })
  );
}

/** Returns the canonical form of the only unusual address in scripts. */
function usual(ip: string): string {
  return ip.toLowerCase().replace("2001:db8:0:0:0:0:0:1", "2001:db8::1");
}
