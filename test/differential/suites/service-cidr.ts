/** ServiceCIDRs. Scripts create the IPAddresses that API servers would allocate to Services. */
import { ServiceCidrs } from "../../../src/api/kinds.ts";
import { serviceCidr } from "../../../src/controllers/service-cidr/service-cidr.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import type { AnyObject } from "../objects.ts";
import { isSettled } from "../scripts/service-cidr/acts.ts";
import { randomScript } from "../scripts/service-cidr/grammar.ts";
import { scripts } from "../scripts/service-cidr/index.ts";
import { standing } from "../normalize.ts";
import type { Suite } from "../suite.ts";

/** Each stage has its own ranges. */
function withoutRanges(object: AnyObject): object {
  const { spec: _ranges, ...rest } = standing(object) as { readonly spec?: object };
  return rest;
}

const again: Allowed = {
  id: "a finalizer is added or removed twice",
  category: "noise",
  upstream: "pkg/controller/servicecidrs/servicecidrs_controller.go:sync",
  why: "the status update enqueues the key before the cache contains the finalizer: the patch changes nothing",
  matches: ({ what, path }) => /^patch servicecidrs\.networking\.k8s\.io (200|404)$/.test(what) && path === "",
};

export const serviceCidrs: Suite = {
  name: "service-cidr",
  oracle: "service-cidr-controller",
  ours: [serviceCidr],
  kinds: [{ kind: ServiceCidrs, compared: withoutRanges }],
  isSettled,
  hasPendingWrites: async (_log, stage) => !(await isSettled(stage)),
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  randomSteps: 12,
  width: 16,
  differences: [ownFieldManager, again],
};
