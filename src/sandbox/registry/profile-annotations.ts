/** Annotations that said how a pod or a container is confined before there were fields for it. */

/** Followed by the name of the container. */
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
/** Followed by the name of the container. */
export const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
export const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
