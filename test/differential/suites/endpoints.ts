/** Endpoints. Scripts create nodes, bind pods and write the status of both. */
import { known } from "../kinds.ts";
import { Pods } from "../../../src/api/kinds.ts";
import { endpoints } from "../../../src/controllers/endpoints/endpoints.ts";
import { type Allowed, namespaceInBody, ownFieldManager } from "../differences.ts";
import { podState } from "../objects.ts";
import { haveSettled } from "../scripts/endpoints/desired-endpoints.ts";
import { randomScript } from "../scripts/endpoints/grammar.ts";
import { objects } from "../scripts/endpoints/objects.ts";
import { pods } from "../scripts/endpoints/pods.ts";
import { services } from "../scripts/endpoints/services.ts";
import { standing } from "../normalize.ts";
import type { Suite } from "../suite.ts";

/** Sorts subsets, which are ordered by hashes that include uids. That order is tested in `test/controllers/endpoints/golden`. */
function arranged<T extends object>(object: T): T {
  const { subsets } = object as { readonly subsets?: readonly object[] };
  if (subsets === undefined) return object;
  const text = (subset: object): string =>
    JSON.stringify(subset, (name, value: unknown) => (name === "uid" ? "" : value));
  return { ...object, subsets: [...subsets].sort((a, b) => (text(a) < text(b) ? -1 : 1)) };
}

const late: Allowed = {
  id: "Endpoints that are not in the cache yet",
  category: "noise",
  upstream: "pkg/controller/endpoint/endpoints_controller.go:syncService",
  why: "they are written again, and the server rejects that",
  matches: ({ what }) => /^(create|update) endpoints (404|409)$/.test(what),
};

const conflictEvent: Allowed = {
  id: "an Event about a write with an outdated cache",
  category: "noise",
  upstream: "pkg/controller/endpoint/endpoints_controller.go:syncService",
  why: "an Event reports the same write",
  matches: ({ what, theirs, ours }) =>
    what === "Event Warning" && /the object has been modified|already exists/.test(JSON.stringify([theirs, ours])),
};

const timeLost: Allowed = {
  id: "the time of a change is lost in a sync with an outdated cache",
  category: "noise",
  upstream: "pkg/controller/endpoint/endpoints_controller.go:syncService",
  why: "a sync that finds its cache behind has already consumed the time, upstream too: the next sync writes none",
  matches: ({ what, path }) => /[Ee]ndpoints/.test(what) && /metadata\.annotations/.test(path),
};

const madeAnew: Allowed = {
  id: "which of the Endpoints with the same name are updated",
  category: "noise",
  upstream: "pkg/controller/endpoint/endpoints_controller.go:syncService",
  why: "how often they are recreated for a recreated Service is random; an update with a wrong uid would be rejected",
  matches: ({ what, path }) => what === "update endpoints 200" && path === ".body.metadata.uid",
};

export const endpointsSuite: Suite = {
  name: "endpoints",
  oracle: "endpoints-controller",
  ours: [endpoints],
  serviceRanges: ["10.0.0.0/16", "fd00::/108"],
  kinds: [
    { kind: known.endpoints, compared: (object) => arranged(standing(object)) },
    { kind: Pods, compared: podState },
  ],
  arranged,
  isSettled: haveSettled,
  // The API server deletes them together with their Service, possibly first.
  chance: (what) => what.startsWith("delete endpoints"),
  hasPendingWrites: async (_log, stage) => !(await haveSettled(stage)),
  scripts: [...objects, ...pods, ...services],
  random: randomScript,
  seeds: { short: 3, long: 100 },
  randomSteps: 20,
  width: 16,
  differences: [ownFieldManager, namespaceInBody, late, conflictEvent, timeLost, madeAnew],
};
