/**
 * Determines when the change happened that led to a write of endpoints, from which clients measure the propagation delay.
 * Source: endpointslice v0.36 util/trigger_time_tracker.go.
 */
import { keyOf, type ObjectKey } from "../../../api/key.ts";
import { formatTime, readTime } from "../../../api/time.ts";
import type { Pod, Service } from "../../../api/types.ts";
import { podReadyCondition } from "../pod-status.ts";

/** The annotation with this time. */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** The times seen by the last sync of a Service, in ms since 1970. */
interface SeenTimes {
  readonly service: number;
  /** By the pod's name. */
  readonly pods: ReadonlyMap<string, number>;
}

/** Remembers the times seen by the last sync of each Service. All methods are atomic. */
export class TriggerTimes {
  readonly #seen = new Map<ObjectKey, SeenTimes>();

  /**
   * The earliest readiness change of a pod since the last sync, in ms since 1970; at the first sync also the creation of the Service. Undefined
   * if there is none. A change that was reverted in the meantime is not seen.
   */
  next(service: Service, pods: readonly Pod[]): number | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const times = new Map<string, number>();
    const later: number[] = [];
    for (const pod of pods) {
      const { name } = pod.metadata;
      // An unknown time is null in JSON, which the types do not show.
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

/** The annotations with the time of the change, or without it if it is unknown. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  at: number | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _earlier, ...others } = annotations ?? {};
  return at === undefined ? others : { ...others, [triggerTimeAnnotation]: formatTime(at) };
}
