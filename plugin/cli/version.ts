import manifest from "../../package.json" with { type: "json" };

/** The version of this program, and the Kubernetes release whose controllers it follows. */
export const version: string = manifest.version;
/** The SPDX expression of its licence. */
export const license: string = manifest.license;
/** The Kubernetes release whose controllers the built-in ones follow. */
export const kubernetesRelease = "1.36.3";
