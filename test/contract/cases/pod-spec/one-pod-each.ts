/** Cases whose requests are pods with one thing wrong each. */
import { paths, post, type Case } from "../../case.ts";

export type Json = Readonly<Record<string, unknown>>;

export const container: Json = { name: "c", image: "i" };

/** New pods that are tried only; each of `specs` is added to one that is right. */
export const pods = (name: string, ...specs: readonly Json[]): Case => ({
  name,
  steps: specs.map((spec, index) =>
    post(paths.pods, { metadata: { name: `p${index}` }, spec: { containers: [container], ...spec } }, "dryRun=All"),
  ),
});

/** The same with one container; each of `containers` is added to one that is right. */
export const containers = (name: string, ...all: readonly Json[]): Case =>
  pods(name, ...all.map((one) => ({ containers: [{ ...container, ...one }] })));

/** The same with volumes, each a pod of its own. */
export const volumes = (name: string, ...all: readonly Json[]): Case =>
  pods(name, ...all.map((one) => ({ volumes: [{ name: "v", ...one }] })));

/** The same with the environment of a container. */
export const variables = (name: string, ...all: readonly Json[]): Case =>
  containers(name, ...all.map((valueFrom) => ({ env: [{ name: "A", valueFrom }] })));
