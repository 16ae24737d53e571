/** What the rules of kinds may ask of the server. */
import { fieldsIn } from "../meta/object.ts";
import type { StrategyContext } from "../registry/strategy/rest-strategy.ts";
import type { RequestScope } from "./server.ts";

/** What strategies may use of a request. The lists of Services are made only when they are asked for. */
export function strategyContext(scope: RequestScope): StrategyContext {
  const { warnings, user, dryRun, namespace } = scope;
  const { timeline, random, store } = scope.server;
  const services = function* (): Generator<Readonly<Record<string, unknown>>> {
    for (const { object } of store.collection("services", true).range({})) yield object.spec ?? {};
  };
  return {
    now: timeline.now(),
    random,
    dryRun,
    user,
    warn: (text) => void warnings.push(text),
    namespaceLabels: () => store.collection("namespaces", false).get("", namespace)?.object.metadata.labels ?? {},
    takenAddresses: () => {
      const taken = new Set([...services()].map((spec) => spec["clusterIP"]));
      // Any IPAddress takes its own, whoever made it.
      for (const { name } of store.collection("ipaddresses.networking.k8s.io", false).range({})) taken.add(name);
      return taken;
    },
    takenNodePorts: () =>
      new Set(
        [...services()].flatMap((spec) => [
          ...fieldsIn(spec["ports"]).map((port) => port["nodePort"]),
          spec["healthCheckNodePort"],
        ]),
      ),
  };
}
