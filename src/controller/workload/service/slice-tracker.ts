/** Tracks the generations of slices that the controller has written, to detect stale caches. Source: endpointslice v0.36 util/endpointslice_tracker.go. */
import { keyOf, objectKey, type ObjectKey } from "../../../api/key.ts";
import type { EndpointSlice, Service } from "../../../api/types.ts";
import { serviceNameLabel } from "./slice-content.ts";

/** Stands for the generation of a deleted slice. */
const deletionExpected = -1;

/** Remembers the writes to the slices of each Service. All methods are atomic. */
export class SliceTracker {
  /** By key of the Service: the generation of each slice, by its uid. */
  readonly #services = new Map<ObjectKey, Map<string, number>>();

  /** Whether another client wrote this version of a slice: it is unknown, or its generation is later than the last one written here. */
  isForeign(slice: EndpointSlice): boolean {
    const known = this.#generation(slice);
    return known === undefined || generationOf(slice) > known;
  }

  /** Whether a slice is tracked. */
  tracks(slice: EndpointSlice): boolean {
    return this.#generation(slice) !== undefined;
  }

  /** Whether the cached slices of a Service are older than the writes. `slices` must not include slices that are being deleted. */
  isBehind(service: Service, slices: readonly EndpointSlice[]): boolean {
    const generations = this.#services.get(keyOf(service));
    if (generations === undefined) return false;
    const cached = new Map(slices.map((slice) => [slice.metadata.uid, generationOf(slice)]));
    return [...generations].some(([uid, written]) => {
      const seen = cached.get(uid);
      return written === deletionExpected ? seen !== undefined : seen === undefined || seen < written;
    });
  }

  /** Records the slice returned by a create or update. */
  wrote(slice: EndpointSlice): void {
    this.#track(slice, generationOf(slice));
  }

  /** Records that a slice was deleted here. */
  deleted(slice: EndpointSlice): void {
    this.#track(slice, deletionExpected);
  }

  /** Called when the cache shows a deletion. Returns whether another client deleted a slice that was written here. */
  isForeignDeletion(slice: EndpointSlice): boolean {
    const known = this.#generation(slice);
    this.#services.get(serviceOf(slice))?.delete(slice.metadata.uid);
    return known !== undefined && known !== deletionExpected;
  }

  /** The Service is gone. */
  forget(service: ObjectKey): void {
    this.#services.delete(service);
  }

  #generation(slice: EndpointSlice): number | undefined {
    return this.#services.get(serviceOf(slice))?.get(slice.metadata.uid);
  }

  #track(slice: EndpointSlice, generation: number): void {
    const key = serviceOf(slice);
    const generations = this.#services.get(key) ?? new Map<string, number>();
    this.#services.set(key, generations);
    generations.set(slice.metadata.uid, generation);
  }
}

function generationOf({ metadata: { generation = 0 } }: EndpointSlice): number {
  return generation;
}

function serviceOf({ metadata: { namespace, labels } }: EndpointSlice): ObjectKey {
  return objectKey(namespace, labels?.[serviceNameLabel] ?? "");
}
