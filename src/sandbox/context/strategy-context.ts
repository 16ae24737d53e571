/** What strategies can use of the server. */
import type { StatusError } from "../../api/status-error.ts";
import { conditionOf } from "../meta/conditions.ts";
import { canonicalAddress, familyOf } from "../meta/go-addresses.ts";
import { fieldsIn, textOf, textsIn } from "../meta/object.ts";
import type { FurtherRight, ServiceAddresses, StrategyContext } from "../registry/strategy/rest-strategy.ts";
import { denialFor } from "./authorizer.ts";
import type { RequestScope, Server } from "./server.ts";

type Spec = Readonly<Record<string, unknown>>;

function* serviceSpecs({ store }: Server): Generator<Spec> {
  for (const { object } of store.collection("services", true).range({})) yield object.spec ?? {};
}

/** The strategy context of a request. Lists of Services are only created when needed. */
export function strategyContext(scope: RequestScope): StrategyContext {
  const { warnings, user, verb, dryRun, namespace } = scope;
  const { timeline, random, store } = scope.server;
  return {
    now: timeline.now(),
    random,
    dryRun,
    user,
    verb,
    denialOf: (right) => denialOf(scope, right),
    warn: (text) => void warnings.push(text),
    namespaceLabels: () => store.collection("namespaces", false).get("", namespace)?.object.metadata.labels ?? {},
    addresses: serviceAddresses(scope.server),
    takenNodePorts: () =>
      new Set(
        [...serviceSpecs(scope.server)].flatMap((spec) => [
          ...fieldsIn(spec["ports"]).map((port) => port["nodePort"]),
          spec["healthCheckNodePort"],
        ]),
      ),
  };
}

function denialOf({ server, user, resource }: RequestScope, right: FurtherRight): StatusError | undefined {
  const { group, plural } = resource;
  const attributes = { is: "resource", group, resource: plural, ...right } as const;
  return denialFor({ user, attributes }, server.authorizer.decide(user, attributes));
}

function serviceAddresses(server: Server): ServiceAddresses {
  const { store, serviceRanges } = server;
  let ofServices: ReadonlySet<string> | undefined;
  return {
    families: serviceRanges.map(familyOf),
    ranges: () => readyRanges(server),
    isTaken(address) {
      // An IPAddress takes its address, regardless of its creator. A snapshot may have Services without IPAddresses.
      if (store.collection("ipaddresses.networking.k8s.io", false).get("", address) !== undefined) return true;
      ofServices ??= new Set(
        [...serviceSpecs(server)].flatMap(({ clusterIPs }) => textsIn(clusterIPs).map(canonicalAddress)),
      );
      return ofServices.has(address);
    },
  };
}

/** Several ServiceCIDRs may have the same range: it is ready if any of them is. */
function readyRanges({ store, serviceRanges }: Server): ReturnType<ServiceAddresses["ranges"]> {
  const ready = new Map<string, boolean>();
  for (const { object } of store.collection("servicecidrs.networking.k8s.io", false).range({})) {
    const condition = conditionOf(object, "Ready");
    const isReady =
      object.metadata.deletionTimestamp === undefined &&
      (condition === undefined || textOf(condition["status"]) === "True");
    for (const cidr of textsIn(object.spec?.["cidrs"])) ready.set(cidr, isReady || ready.get(cidr) === true);
  }
  if (ready.size === 0) return serviceRanges.map((cidr) => ({ cidr, isReady: true }));
  return [...ready].map(([cidr, isReady]) => ({ cidr, isReady }));
}
