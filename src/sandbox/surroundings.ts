/** What the rules of kinds may ask of the server. */
import { fieldsIn } from "./object.ts";
import type { Surroundings } from "./registry/kind-rules.ts";
import type { Call } from "./server.ts";

export function surroundingsOf({ server: { timeline, random, store }, warnings, user }: Call): Surroundings {
  const services = function* (): Generator<Readonly<Record<string, unknown>>> {
    for (const { object } of store.collection("services", true).range({})) yield object.spec ?? {};
  };
  return {
    now: timeline.now(),
    random,
    user,
    warn: (text) => void warnings.push(text),
    takenAddresses: () => new Set([...services()].map((spec) => spec["clusterIP"])),
    takenNodePorts: () =>
      new Set([...services()].flatMap((spec) => fieldsIn(spec["ports"]).map((port) => port["nodePort"]))),
  };
}
