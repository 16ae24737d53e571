/** A pod's phase, from its containers. Source: kubernetes v1.36 pkg/kubelet/kubelet_pods.go getPhase, generateAPIPodStatus. */
import type { Pod } from "../../api/types.ts";
import { willRestart, type ContainerLife, isStarted, type PodLife } from "./life.ts";

/** `status.phase` of a pod. */
export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

const hasStopped = ({ state, last }: ContainerLife): boolean =>
  state.is === "terminated" || (state.is === "waiting" && last !== undefined);

/** The phase at `now`, in ms since 1970. */
export function phaseOf(pod: Pod, life: PodLife, now: number): Phase {
  const over = life.stop !== undefined && life.containers.every(({ state }) => state.is !== "running");
  if (life.failed !== undefined) return over ? "Failed" : "Running";
  const inits = life.containers.filter(({ role }) => role === "init");
  const mains = life.containers.filter(({ role }) => role === "main");
  const initFailed = inits.some(
    (init) =>
      init.state.is === "terminated" && init.state.exitCode !== 0 && !willRestart(pod, init, init.state.exitCode),
  );
  if (initFailed) return "Failed";
  if (over) return endedWell(mains) ? "Succeeded" : "Failed";
  const begun = mains.some((main) => main.state.is === "running" || hasStopped(main));
  if (!begun && isInitializing(pod, life, now)) return "Pending";
  // A container that was never started keeps the pod Pending.
  if (mains.some(({ state, last }) => state.is === "waiting" && last === undefined)) return "Pending";
  const running = life.containers.some(({ state, role }) => role !== "init" && state.is === "running");
  if (running) return "Running";
  return phaseOfStopped(pod, mains);
}

function isInitializing(pod: Pod, life: PodLife, now: number): boolean {
  return life.containers.some((container) => {
    if (container.role === "init") return !(container.state.is === "terminated" && container.state.exitCode === 0);
    return container.role === "sidecar" && !isStarted(pod, container, now);
  });
}

function phaseOfStopped(pod: Pod, mains: readonly ContainerLife[]): Phase {
  switch (pod.spec?.restartPolicy ?? "Always") {
    case "Never":
      return endedWell(mains) ? "Succeeded" : "Failed";
    case "OnFailure":
      return endedWell(mains) ? "Succeeded" : "Running";
    default:
      return "Running";
  }
}

/** Whether all have terminated with exit code 0; a container that never ran has not. */
function endedWell(mains: readonly ContainerLife[]): boolean {
  return mains.every(({ state, last }) => {
    if (state.is === "terminated") return state.exitCode === 0;
    return state.is === "waiting" && last?.exitCode === 0;
  });
}
