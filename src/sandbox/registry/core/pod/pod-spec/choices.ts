/** Values of fields that several parts of a pod's spec have, in the order in which they are printed. */

export const pullPolicies: readonly string[] = ["Always", "IfNotPresent", "Never"];
export const restartPolicies: readonly string[] = ["Always", "OnFailure", "Never"];
export const dnsPolicies: readonly string[] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
export const preemptionPolicies: readonly string[] = ["PreemptLowerPriority", "Never"];
export const portProtocols: readonly string[] = ["SCTP", "TCP", "UDP"];
export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
