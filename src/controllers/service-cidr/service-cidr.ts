/** The controller of ServiceCIDRs. Source: kubernetes v1.36 pkg/controller/servicecidrs/servicecidrs_controller.go. */
import { keyOf } from "../../api/key.ts";
import { IpAddresses, ServiceCidrs } from "../../api/kinds.ts";
import type { IpAddress, ServiceCidr } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { lacksFinalizer } from "../../controller/workload/protection.ts";
import { containing, isOfService, overlapping } from "./ranges.ts";
import { cidrFinalizer, rules } from "./rules.ts";
import { syncServiceCidr } from "./sync.ts";

/** Marks Service address ranges ready, and keeps them until no Service has an address from them. */
export const serviceCidr: ControllerDefinition = defineController<ServiceCidr>({
  name: "service-cidr",
  aliases: ["service-cidr-controller"],
  purpose: "makes ServiceCIDRs ready, and keeps them until no Service needs them",
  component: "service-cidr-controller",
  source: "pkg/controller/servicecidrs/servicecidrs_controller.go",
  for: ServiceCidrs,
  watches: [
    watch<ServiceCidr>({
      kind: ServiceCidrs,
      on({ type, object }, context) {
        context.enqueue(keyOf(object));
        // It may contain a range whose deletion was blocked.
        if (type !== "added") return;
        for (const key of overlapping(object, context.cache(ServiceCidrs).list())) context.enqueue(key);
      },
    }),
    watch<IpAddress>({
      kind: IpAddresses,
      on({ type, object }, context) {
        if (type === "updated" || !isOfService(object)) return;
        for (const key of containing(object, context.cache(ServiceCidrs).list())) context.enqueue(key);
      },
    }),
  ],
  workers: 5,
  // 5 ms · 2ⁿ: the 15th retry waits 82 s.
  retry: { maxRetries: 15 },
  ifRunTwice: "both would write the same finalizer and the same condition",
  isLeftUndone: (cidr) => lacksFinalizer(cidr, cidrFinalizer),
  dryRun: {
    is: "limited",
    to: "clusters whose IPAddresses were read",
    knowsEnough: (known) => known.knowsAll(IpAddresses),
  },
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "networking.k8s.io", resource: "servicecidrs", verbs: ["patch"] },
    { group: "networking.k8s.io", resource: "servicecidrs/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncServiceCidr(context),
});
