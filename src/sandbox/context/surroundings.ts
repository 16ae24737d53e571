/** What the rules of kinds may ask of the server. */
import { fieldsIn } from "../meta/object.ts";
import type { Surroundings } from "../registry/strategy/kind-rules.ts";
import type { Call } from "./server.ts";

export function surroundingsOf(call: Call): Surroundings {
  const { warnings, user, dryRun, namespace } = call;
  const { timeline, random, store } = call.server;
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
    takenAddresses: () => new Set([...services()].map((spec) => spec["clusterIP"])),
    takenNodePorts: () =>
      new Set(
        [...services()].flatMap((spec) => [
          ...fieldsIn(spec["ports"]).map((port) => port["nodePort"]),
          spec["healthCheckNodePort"],
        ]),
      ),
  };
}
