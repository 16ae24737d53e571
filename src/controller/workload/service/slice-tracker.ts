/** Which generations of slices the controller has made, and whether the cache shows them. Source: endpointslice v0.36 util/endpointslice_tracker.go. */
import { keyOf, objectKey, type ObjectKey } from "../../../api/key.ts";
import type { EndpointSlice, Service } from "../../../api/types.ts";
import { serviceNameLabel } from "./slice-content.ts";

/** In place of a generation: the slice was deleted. */
const deletionExpected = -1;

/** Remembers what was written to the slices of each Service. All methods are atomic. */
export class SliceTracker {
  /** Generations by the slice's uid, by the Service's key. */
  readonly #services = new Map<ObjectKey, Map<string, number>>();

  /** Whether this version of a slice is somebody else's: another slice, or a later generation than the last that was written. */
  isForeign(slice: EndpointSlice): boolean {
    const known = this.#generation(slice);
    return known === undefined || generationOf(slice) > known;
  }

  /** Whether anything is known of a slice. */
  tracks(slice: EndpointSlice): boolean {
    return this.#generation(slice) !== undefined;
  }

  /** Whether the cached slices of a Service are older than what was written. Those that are being deleted are not among them. */
  isBehind(service: Service, slices: readonly EndpointSlice[]): boolean {
    const generations = this.#services.get(keyOf(service));
    if (generations === undefined) return false;
    const cached = new Map(slices.map((slice) => [slice.metadata.uid, generationOf(slice)]));
    return [...generations].some(([uid, written]) => {
      const seen = cached.get(uid);
      return written === deletionExpected ? seen !== undefined : seen === undefined || seen < written;
    });
  }

  /** A slice was created or updated, and answered like this. */
  wrote(slice: EndpointSlice): void {
    this.#track(slice, generationOf(slice));
  }

  /** A slice was deleted. */
  deleted(slice: EndpointSlice): void {
    this.#track(slice, deletionExpected);
  }

  /** The cache shows that a slice is gone. Whether somebody else has deleted one that was written here. */
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
