/** Pods. Source: kubernetes v1.36 pkg/registry/core/pod/strategy.go. */
import { formatTime } from "../../../../api/time.ts";
import { notAllowed } from "../../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { applyAppArmorAnnotations } from "./profiles/app-armor.ts";
import { appArmorPrefix } from "./profiles/profile-annotations.ts";
import { hostnameWarnings, podWarnings } from "./warnings/pod.ts";
import type { RESTStrategy } from "../../strategy/rest-strategy.ts";
import { restStrategy } from "../../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../strategy/validation-steps.ts";
import { ephemeralContainersStrategy } from "./pod-spec/ephemeral-containers.ts";
import { podStatusStrategy } from "./pod-status.ts";
import { resizeStrategy } from "./pod-resize.ts";
import { qosClassOf } from "./resources/qos-class.ts";
import { podUpdateErrors } from "./pod-update.ts";
import { profileMatchErrors } from "./pod-spec/annotations.ts";
import { onceForEqualPods } from "./known-pods.ts";
import { mergeLabelKeys } from "./pod-spec/label-keys.ts";
import { podErrors } from "./pod-spec/pod-spec.ts";

const defaultGraceSeconds = 30;

function finished(pod: ApiObject): boolean {
  const phase = at(pod, "status", "phase");
  return phase === "Succeeded" || phase === "Failed";
}

/** A pod with scheduling gates has a condition for them from creation. */
function gated(pod: ApiObject, now: number): Fields {
  if (fieldsIn(pod.spec?.["schedulingGates"]).length === 0) return {};
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const [type, reason] = ["PodScheduled", "SchedulingGated"];
  const times = { lastProbeTime: null, lastTransitionTime: formatTime(now) };
  return { conditions: [{ type, status: "False", ...times, reason, message }] };
}

/** Syncs `podIPs` with `podIP`, which wins if they differ. */
function listAddresses({ status }: ApiObject): void {
  const podIP = status?.["podIP"];
  if (status === undefined || typeof podIP !== "string" || podIP === "") return;
  if (at(fieldsIn(status["podIPs"])[0], "ip") !== podIP) status["podIPs"] = [{ ip: podIP }];
}

const warningsOfEqualPods = onceForEqualPods(podWarnings);

/** Pods: validation, mutable fields and grace period. */
export const podStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  keepsStatusOnCreate: true,
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  setDefaults: listAddresses,
  prepareForCreate(pod, { warn, now }) {
    mergeLabelKeys(pod);
    // A QoS class set by the client is kept.
    const qosClass = textOf(pod.status?.["qosClass"]) || qosClassOf(pod);
    pod.status = { phase: "Pending", qosClass, ...gated(pod, now) };
    for (const name of applyAppArmorAnnotations(pod)) {
      warn(
        `metadata.annotations[${appArmorPrefix}${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      );
    }
  },
  validateCreate: ({ metadata, spec = {} }) => [
    ...(fieldsIn(spec["ephemeralContainers"]).length > 0
      ? [notAllowed("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(textOf(spec["nodeName"]) !== "" && fieldsIn(spec["schedulingGates"]).length > 0
      ? [notAllowed("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
    ...profileMatchErrors(metadata.annotations, { spec, field: "spec" }),
  ],
  status: podStatusStrategy,
  subresources: { resize: resizeStrategy, ephemeralcontainers: ephemeralContainersStrategy },
  validate: onceForEqualPods(podErrors),
  warningsOnCreate: (pod) => [...hostnameWarnings(pod, "the Pod's hostname"), ...warningsOfEqualPods(pod)],
  validateUpdate: podUpdateErrors,
  prepareForUpdate(pod, old) {
    // The status is written only through its subresource.
    if (old.status !== undefined) pod.status = old.status;
  },
  checkGracefulDelete(pod, requested) {
    const own = at(pod, "spec", "terminationGracePeriodSeconds");
    const period = requested ?? (typeof own === "number" ? own : defaultGraceSeconds);
    // Without a kubelet, there is nothing to wait for.
    const nodeName = at(pod, "spec", "nodeName");
    return nodeName === undefined || nodeName === "" || finished(pod) ? 0 : Math.max(0, period);
  },
});
