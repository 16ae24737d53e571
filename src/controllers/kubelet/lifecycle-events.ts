/**
 * Lifecycle events of containers, in words and as Events. Source: kubernetes v1.36 pkg/kubelet/events/event.go and its
 * users.
 */
import { Pods } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import type { LifecycleEvent, PodLife } from "./life.ts";

/** `web started`, `web ended with exit code 1, restarting in 10 s`; undefined for an event that another one implies. */
export function inWords(event: LifecycleEvent): string | undefined {
  switch (event.what) {
    case "started":
      return `${event.container} started`;
    case "ready":
      return `${event.container} is ready`;
    case "unready":
      return `${event.container} is no longer ready`;
    case "stopped":
      return `${event.container} stopped`;
    case "ended": {
      const again = event.restartInMs === undefined ? "" : `, restarting in ${event.restartInMs / 1000} s`;
      return `${event.container} ended with exit code ${event.exitCode}${again}`;
    }
    case "killed":
      return `${event.container} killed, its ${event.probe.toLowerCase()} probe failed`;
    case "back-off":
      return undefined;
    case "pull-failed":
      return `the image of ${event.container} cannot be pulled`;
    case "not-configured":
      return `${event.container} cannot start: ${event.message}`;
    case "not-mounted":
      return event.message;
    case "deadline":
      return "activeDeadlineSeconds exceeded";
  }
}

/** Records the Events that a real kubelet records. */
export function recordLifecycleEvents(
  context: SyncContext,
  pod: Pod,
  life: PodLife,
  happened: readonly LifecycleEvent[],
): void {
  for (const one of happened) {
    for (const event of eventsOf(pod, life, one)) context.event(Pods, pod, event);
  }
}

const normal = (reason: string, message: string): EventToRecord => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): EventToRecord => ({ type: "Warning", reason, message });

function eventsOf(pod: Pod, life: PodLife, event: LifecycleEvent): readonly EventToRecord[] {
  switch (event.what) {
    case "started": {
      const image = life.containers.find(({ spec }) => spec.name === event.container)?.spec.image ?? "";
      return [
        normal("Pulled", `Container image "${image}" already present on machine`),
        normal("Created", "Container created"),
        normal("Started", "Container started"),
      ];
    }
    case "unready":
      return [warning("Unhealthy", "Readiness probe failed: as its annotation asks")];
    case "killed":
      return [
        warning("Unhealthy", `${event.probe} probe failed: as its annotation asks`),
        normal("Killing", `Container ${event.container} failed ${event.probe.toLowerCase()} probe, will be restarted`),
      ];
    case "back-off": {
      const { name, namespace = "", uid } = pod.metadata;
      return [
        warning(
          "BackOff",
          `Back-off restarting failed container ${event.container} in pod ${name}_${namespace}(${uid})`,
        ),
      ];
    }
    case "pull-failed":
      return [warning("Failed", "Error: ImagePullBackOff")];
    case "not-configured":
      return [warning("Failed", `Error: ${event.message}`)];
    case "not-mounted":
      return [warning("FailedMount", event.message)];
    case "deadline":
      return [normal("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")];
    case "ready":
    case "stopped":
    case "ended":
      return [];
  }
}
