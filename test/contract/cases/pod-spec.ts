/** Validation of pod specs: each request has a few errors of the same topic. */
import type { Table } from "../case.ts";
import { annotations, classes, templates } from "./pod-spec/around.ts";
import { security } from "./pod-spec/confinement.ts";
import { environment, probes } from "./pod-spec/containers.ts";
import { names } from "./pod-spec/names.ts";
import { resources, scheduling } from "./pod-spec/scheduling.ts";
import { sources } from "./pod-spec/volumes.ts";

export const podSpecs: Table = {
  name: "pod-spec",
  cases: [
    ...probes,
    ...environment,
    ...sources,
    ...security,
    ...scheduling,
    ...names,
    ...resources,
    ...annotations,
    ...templates,
    ...classes,
  ],
};
