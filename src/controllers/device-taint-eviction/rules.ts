/** The rules of evictions by device taints, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface TaintFacts extends Facts {
  /** `gpu.example.com/node-1/gpu-0` */
  readonly device: string;
  /** `unhealthy=yes:NoExecute` */
  readonly taint: string;
}

interface TimedFacts extends TaintFacts {
  /** Until it is evicted. */
  readonly seconds: number;
}

const looksAt = [
  "spec.nodeName and spec.resourceClaims of the pod",
  "status.reservedFor and status.allocation of these claims: their devices and tolerations",
  "spec.devices[].taints with the effect NoExecute, in the slices of the newest generation of the devices' pools",
] as const;

/** Nothing evicts the pod. */
export const stays: Rule<Facts> = rule<Facts>({
  id: "stays",
  looksAt,
  chooses:
    "A pod stays while none of the devices reserved for it has a NoExecute taint, or its claims tolerate the taints for ever.",
  sentence: () => "its claims tolerate all NoExecute taints of its devices → keep it",
  example: {},
  source: "device_taint_eviction.go podEvictionTime",
});

/** Nothing evicts the pod any more. */
export const cancelled: Rule<Facts> = rule<Facts>({
  id: "cancelled",
  looksAt,
  chooses: "A scheduled deletion of a pod is cancelled when its reason no longer applies.",
  sentence: () => "none of its devices has a NoExecute taint any more that its claims do not tolerate → keep it",
  example: {},
  source: "device_taint_eviction.go cancelWorkWithEvent",
});

/** The pod is evicted later. */
export const toleratedFor: Rule<TimedFacts> = rule<TimedFacts>({
  id: "tolerated-for",
  looksAt: [...looksAt, "timeAdded of the taint, and tolerationSeconds of the claim's tolerations"],
  chooses:
    "A pod whose claims tolerate a taint for a limited time is deleted when that time has passed since the taint was added.",
  sentence: ({ device, taint, seconds }) =>
    `it tolerates the taint ${taint} of ${device} for ${seconds} s more → delete it then`,
  example: { device: "gpu.example.com/node-1/gpu-0", taint: "unhealthy:NoExecute", seconds: 300 },
  source: "device_taint_eviction.go maybeDeletePod",
});

/** The pod was deleted before. */
export const deletedBefore: Rule<TaintFacts> = rule<TaintFacts>({
  id: "deleted-before",
  looksAt: [...looksAt, "the last 500 pods that this controller deleted"],
  chooses: "Each pod is deleted only once.",
  sentence: ({ device, taint }) => `it was deleted before, and ${device} has the taint ${taint} → do nothing more`,
  example: { device: "gpu.example.com/node-1/gpu-0", taint: "unhealthy:NoExecute" },
  source: "device_taint_eviction.go maybeDeletePod",
});

/** The pod is evicted. */
export const untolerated: Rule<TaintFacts> = rule<TaintFacts>({
  id: "untolerated",
  looksAt,
  chooses:
    "A pod is deleted if a device reserved for it has a NoExecute taint that the claim does not tolerate, or no longer tolerates.",
  sentence: ({ device, taint }) => `its claim does not tolerate the taint ${taint} of ${device} → delete it`,
  example: { device: "gpu.example.com/node-1/gpu-0", taint: "unhealthy:NoExecute" },
  source: "device_taint_eviction.go maybeDeletePod",
});

/** All of them. */
export const rules: readonly Rule[] = [stays, cancelled, toleratedFor, deletedBefore, untolerated];
