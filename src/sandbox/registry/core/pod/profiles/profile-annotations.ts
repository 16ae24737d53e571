/** Pod annotations that the server reads: security profiles from before there were fields for them, and mirror pods. */

/** The name of the container follows. */
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
/** The name of the container follows. */
export const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
/** The annotation for a pod's seccomp profile, without effect since v1.27. */
export const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
/** On pods that a kubelet created from local files. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
