/**
 * The pods that a Job creates.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go manageJob; indexed_job_utils.go addCompletionIndexEnvVariables,
 * addIndexFailureCountAnnotation, podGenerateNameWithIndex.
 */
import { Jobs } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { Container, Job, Pod, PodTemplateSpec } from "../../api/types.ts";
import { podFromTemplate } from "../../controller/workload/pod-control.ts";
import {
  completionIndexName,
  failureCountAnnotation,
  failuresBefore,
  ignoredFailureCountAnnotation,
} from "./completion-index.ts";
import { failureOf } from "./job-pods.ts";
import { isIndexed, limitsEachIndex, trackingFinalizer } from "./spec.ts";

const indexVariable = "JOB_COMPLETION_INDEX";
/** What the server keeps of `generateName`, to leave room in pod names for five random letters. */
const maxPrefixLength = 58;

/** A pod from the Job's template, with the finalizer. */
export function podOf(job: Job): CreateInput<Pod> {
  return podFromTemplate(templateOf(job), { kind: Jobs, object: job });
}

/** A pod for one index. `replaced`: the failed pod that it replaces, if failures are limited per index. */
export function podOfIndex(
  job: Job,
  { index, replaced }: { readonly index: number; readonly replaced: Pod | undefined },
): CreateInput<Pod> {
  const template = templateOf(job);
  const name = { [completionIndexName]: String(index) };
  const { labels, annotations, ...meta } = template.metadata ?? {};
  const failures = limitsEachIndex(job) ? failureAnnotations(job, replaced) : {};
  const pod = podFromTemplate(
    {
      metadata: { ...meta, labels: { ...labels, ...name }, annotations: { ...annotations, ...name, ...failures } },
      spec: {
        ...template.spec,
        containers: template.spec?.containers ?? [],
        hostname: `${job.metadata.name}-${index}`,
      },
    },
    { kind: Jobs, object: job },
  );
  return { ...pod, metadata: { ...pod.metadata, generateName: namePrefix(job.metadata.name, index) } };
}

/** `data-3-`, truncated so that the index stays intact. */
export function namePrefix(jobName: string, index: number): string {
  const end = `-${index}-`;
  return jobName.slice(0, maxPrefixLength - end.length) + end;
}

function templateOf(job: Job): PodTemplateSpec {
  const template: PodTemplateSpec = job.spec?.template ?? {};
  const { finalizers = [] } = template.metadata ?? {};
  const spec = isIndexed(job) ? withIndexVariables(template.spec) : template.spec;
  return {
    metadata: {
      ...template.metadata,
      finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
    },
    ...(spec !== undefined && { spec }),
  };
}

/** Every container reads the index from the pod's label, unless it sets the variable itself. */
function withIndexVariables(spec: PodTemplateSpec["spec"]): PodTemplateSpec["spec"] {
  if (spec === undefined) return undefined;
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(initContainers !== undefined && { initContainers: initContainers.map(withIndexVariable) }),
    containers: containers.map(withIndexVariable),
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${completionIndexName}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}

/** How often the index has failed, including the replaced pod. */
function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  let { counted, ignored } = replaced === undefined ? { counted: 0, ignored: 0 } : failuresBefore(replaced);
  if (replaced !== undefined) {
    if (failureOf(job, replaced).isCounted) counted++;
    else ignored++;
  }
  return {
    [failureCountAnnotation]: String(counted),
    ...(ignored > 0 && { [ignoredFailureCountAnnotation]: String(ignored) }),
  };
}
