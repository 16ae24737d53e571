/** A pod's status as its kubelet writes it, from the state of its containers. */
import { formatTime } from "../../api/time.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../api/types.ts";
import { conditionsOf } from "./conditions.ts";
import { type ContainerLife, type Ended, isReady, isStarted, type PodLife } from "./life.ts";
import { phaseOf } from "./phase.ts";

/** Undefined fields are left out of the status. */
export interface Addresses {
  readonly hostIP: string | undefined;
  /** Undefined until one is assigned. */
  readonly podIP: string | undefined;
}

/**
 * All fields that a kubelet owns, at `now` in ms since 1970. Times are whole seconds.
 * Source: kubernetes v1.36 pkg/kubelet/kubelet_pods.go generateAPIPodStatus, convertToAPIContainerStatuses.
 */
export function statusOf(pod: Pod, life: PodLife, { hostIP, podIP }: Addresses, now: number): PodStatus {
  const phase = phaseOf(pod, life, now);
  const { generation } = pod.metadata;
  const statuses = (isInit: boolean): ContainerStatus[] =>
    life.containers
      .filter(({ role }) => (role === "main") !== isInit)
      .map((container) => containerStatus(pod, container, now));
  const inits = statuses(true);
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    ...(phase === "Failed" && life.failed !== undefined && life.failed),
    conditions: conditionsOf(pod, life, phase, now),
    ...(hostIP !== undefined && { hostIP, hostIPs: [{ ip: hostIP }] }),
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: formatTime(life.startedAt),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: statuses(false),
  };
}

function containerStatus(pod: Pod, container: ContainerLife, now: number): ContainerStatus {
  const { spec, state, last, restarts } = container;
  const image = spec.image ?? "";
  const hasRun = state.is !== "waiting" || last !== undefined;
  const id = containerId(pod, container);
  return {
    name: spec.name,
    state: stateOf(container, id),
    lastState: last === undefined ? {} : { terminated: terminated(last, containerId(pod, container, restarts - 1)) },
    ready: isReady(pod, container, now),
    restartCount: restarts,
    image,
    imageID: hasRun ? `sandbox/${image}` : "",
    ...(hasRun && { containerID: id }),
    ...(hasRun && resourcesOf(pod, spec.name)),
    started: isStarted(pod, container, now),
  };
}

/** A container's actual resources equal its spec: a resize takes effect as soon as it is observed. */
function resourcesOf({ spec }: Pod, name: string): Pick<ContainerStatus, "resources"> {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const resources = containers.find((container) => container.name === name)?.resources;
  return resources === undefined || Object.keys(resources).length === 0 ? {} : { resources };
}

function stateOf({ state }: ContainerLife, id: string): NonNullable<ContainerStatus["state"]> {
  switch (state.is) {
    case "waiting":
      return {
        waiting: { reason: state.reason, ...(state.message !== undefined && { message: state.message }) },
      };
    case "running":
      return { running: { startedAt: formatTime(state.startedAt) } };
    case "terminated":
      return { terminated: terminated(state, id) };
  }
}

function terminated(
  { exitCode, reason, startedAt, finishedAt }: Ended,
  containerID: string,
): NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]> {
  return { exitCode, reason, startedAt: formatTime(startedAt), finishedAt: formatTime(finishedAt), containerID };
}

/** A container's id changes with each run, like the hash that a container runtime assigns. */
function containerId(pod: Pod, { spec, restarts }: ContainerLife, run: number = restarts): string {
  return `sandbox://${pod.metadata.uid.replaceAll("-", "")}-${spec.name}-${run}`;
}
