/** Allowed values of fields that occur in several parts of a pod's spec, in the order in which errors list them. */

export const pullPolicies: readonly string[] = ["Always", "IfNotPresent", "Never"];
/** The values of `restartPolicy`, in the order in which errors list them. */
export const restartPolicies: readonly string[] = ["Always", "OnFailure", "Never"];
/** The values of `dnsPolicy`. */
export const dnsPolicies: readonly string[] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
/** The values of `preemptionPolicy`. */
export const preemptionPolicies: readonly string[] = ["PreemptLowerPriority", "Never"];
/** The protocols of a container's port. */
export const portProtocols: readonly string[] = ["SCTP", "TCP", "UDP"];
/** The effects that a toleration may have. */
export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
