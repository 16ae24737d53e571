/** Annotations of pods that the server reads: how containers are confined, from before there were fields for it, and mirror pods. */

/** Followed by the name of the container. */
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
/** Followed by the name of the container. */
export const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
/** The annotation of a pod's seccomp profile, without effect since v1.27. */
export const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
/** On pods that a kubelet made of files of its own. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
