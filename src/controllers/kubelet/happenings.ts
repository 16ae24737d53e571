/** What happened to containers, in words and as Events. Source: kubernetes v1.36 pkg/kubelet/events/event.go and its users. */
import { Pods } from "../../api/kind.ts";
import type { Pod } from "../../api/types.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import type { Happening, PodLife } from "./life.ts";

/** `web started`, `web ended with exit code 1, again in 10 s`; undefined for what another happening says already. */
export function inWords(happening: Happening): string | undefined {
  switch (happening.what) {
    case "started":
      return `${happening.container} started`;
    case "ready":
      return `${happening.container} is ready`;
    case "unready":
      return `${happening.container} is no longer ready`;
    case "stopped":
      return `${happening.container} stopped`;
    case "ended": {
      const again = happening.restartInMs === undefined ? "" : `, again in ${happening.restartInMs / 1000} s`;
      return `${happening.container} ended with exit code ${happening.exitCode}${again}`;
    }
    case "killed":
      return `${happening.container} killed, its ${happening.probe.toLowerCase()} probe failed`;
    case "back-off":
      return undefined;
    case "pull-failed":
      return `the image of ${happening.container} cannot be pulled`;
    case "deadline":
      return "activeDeadlineSeconds are over";
  }
}

/** Records the Events that a kubelet records. */
export function recordHappenings(context: SyncContext, pod: Pod, life: PodLife, happened: readonly Happening[]): void {
  for (const happening of happened) {
    for (const event of eventsOf(pod, life, happening)) context.event(Pods, pod, event);
  }
}

const normal = (reason: string, message: string): EventToRecord => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): EventToRecord => ({ type: "Warning", reason, message });

function eventsOf(pod: Pod, life: PodLife, happening: Happening): readonly EventToRecord[] {
  switch (happening.what) {
    case "started": {
      const image = life.containers.find(({ spec }) => spec.name === happening.container)?.spec.image ?? "";
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
        warning("Unhealthy", `${happening.probe} probe failed: as its annotation asks`),
        normal(
          "Killing",
          `Container ${happening.container} failed ${happening.probe.toLowerCase()} probe, will be restarted`,
        ),
      ];
    case "back-off": {
      const { name, namespace = "", uid } = pod.metadata;
      return [
        warning(
          "BackOff",
          `Back-off restarting failed container ${happening.container} in pod ${name}_${namespace}(${uid})`,
        ),
      ];
    }
    case "pull-failed":
      return [warning("Failed", "Error: ImagePullBackOff")];
    case "deadline":
      return [normal("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")];
    case "ready":
    case "stopped":
    case "ended":
      return [];
  }
}
