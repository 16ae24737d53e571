/** Cases whose requests each create a pod with one error. */
import { paths, post, type Case } from "../../case.ts";

export type Json = Readonly<Record<string, unknown>>;

export const container: Json = { name: "c", image: "i" };

/** Creates pods as dry runs; each of `specs` is merged into a valid spec. */
export const pods = (name: string, ...specs: readonly Json[]): Case => ({
  name,
  steps: specs.map((spec, index) =>
    post(paths.pods, { metadata: { name: `p${index}` }, spec: { containers: [container], ...spec } }, "dryRun=All"),
  ),
});

/** The same with one container; each of `containers` is merged into a valid one. */
export const containers = (name: string, ...all: readonly Json[]): Case =>
  pods(name, ...all.map((one) => ({ containers: [{ ...container, ...one }] })));

/** The same with volumes, each in a separate pod. */
export const volumes = (name: string, ...all: readonly Json[]): Case =>
  pods(name, ...all.map((one) => ({ volumes: [{ name: "v", ...one }] })));

/** The same with environment variables of a container. */
export const variables = (name: string, ...all: readonly Json[]): Case =>
  containers(name, ...all.map((valueFrom) => ({ env: [{ name: "A", valueFrom }] })));
