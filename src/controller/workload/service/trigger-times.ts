/**
 * When the change happened that a write of endpoints follows: clients measure by it how long endpoints take to reach them.
 * Source: endpointslice v0.36 util/trigger_time_tracker.go.
 */
import { keyOf, type ObjectKey } from "../../../api/key.ts";
import { formatTime, readTime } from "../../../api/time.ts";
import type { Pod, Service } from "../../../api/types.ts";
import { podReadyCondition } from "../pod-status.ts";

/** The annotation that has this time. */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** As of the last sync of a Service, in ms since 1970. */
interface SeenTimes {
  readonly service: number;
  /** By the pod's name. */
  readonly pods: ReadonlyMap<string, number>;
}

/** Remembers the times that the last sync of each Service saw. All methods are atomic. */
export class TriggerTimes {
  readonly #seen = new Map<ObjectKey, SeenTimes>();

  /**
   * The earliest of the times that are later than those of the last sync, in ms since 1970: when a pod's readiness last changed. At the first sync it
   * is when the Service was made. Undefined if no time is later. A change that was undone since is not seen.
   */
  next(service: Service, pods: readonly Pod[]): number | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const times = new Map<string, number>();
    const later: number[] = [];
    for (const pod of pods) {
      const { name } = pod.metadata;
      // An unknown time is null on the wire, which the types do not say.
      const time = readTime(podReadyCondition(pod)?.lastTransitionTime ?? undefined);
      if (time === undefined) continue;
      times.set(name, time);
      if (time > (before?.pods.get(name) ?? -Infinity)) later.push(time);
    }
    const created = readTime(service.metadata.creationTimestamp) ?? 0;
    if (created > (before?.service ?? -Infinity)) later.push(created);
    this.#seen.set(key, { service: created, pods: times });
    if (before === undefined) return created;
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** The Service is gone. */
  forget(key: ObjectKey): void {
    this.#seen.delete(key);
  }
}

/** The annotations with the time of the change, or without one. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  at: number | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _earlier, ...others } = annotations ?? {};
  return at === undefined ? others : { ...others, [triggerTimeAnnotation]: formatTime(at) };
}
