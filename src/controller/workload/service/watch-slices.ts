/**
 * Maps a change of an EndpointSlice to the key of its Service, for controllers that manage slices. The controller's own writes are ignored.
 * Source: kubernetes v1.36 pkg/controller/endpointslice/endpointslice_controller.go onEndpointSliceAdd, onEndpointSliceUpdate,
 * onEndpointSliceDelete; pkg/controller/endpointslicemirroring, the same.
 */
import type { ObjectKey } from "../../../api/key.ts";
import { EndpointSlices } from "../../../api/kinds.ts";
import type { EndpointSlice } from "../../../api/types.ts";
import type { Lister } from "../../../cache/lister.ts";
import { type Notification, type Watch, watch, type WatchContext } from "../../api/definition.ts";
import type { RunState } from "../../api/run-state.ts";
import { managedByLabel, serviceKeyOf } from "./slice-content.ts";
import type { SliceTracker } from "./slice-tracker.ts";

/** The index of slices by manager and key of the Service, shared by all managers. */
const keeperIndex = "keeper";

function keeperValue(managedBy: string, service: ObjectKey): string {
  return `${managedBy} ${service}`;
}

function indexByKeeper(slice: EndpointSlice): readonly string[] {
  const managedBy = slice.metadata.labels?.[managedByLabel];
  const service = serviceKeyOf(slice);
  return managedBy === undefined || service === undefined ? [] : [keeperValue(managedBy, service)];
}

/** The slices that a controller manages for a Service. The cache must be watched with `watchSlices`. */
export function slicesKeptBy(
  managedBy: string,
  { service, slices }: { readonly service: ObjectKey; readonly slices: Lister<EndpointSlice> },
): readonly EndpointSlice[] {
  return slices.byIndex(keeperIndex, keeperValue(managedBy, service));
}

/** A controller that manages slices. */
export interface SliceKeeper {
  /** The value of the label `endpointslice.kubernetes.io/managed-by`. */
  readonly managedBy: string;
  readonly tracker: RunState<SliceTracker>;
  /** Delays a Service after a change of its slices, in ms, so that several changes share one sync. */
  readonly delayMs: number;
}

/** Creates a watch of slices for a controller that manages some of them. */
export function watchSlices(keeper: SliceKeeper): Watch {
  return watch<EndpointSlice>({
    kind: EndpointSlices,
    owned: true,
    indexes: { [keeperIndex]: indexByKeeper },
    on: (notification, context) => onSlice(notification, { keeper, context }),
  });
}

function onSlice(
  notification: Notification<EndpointSlice>,
  { keeper, context }: { readonly keeper: SliceKeeper; readonly context: WatchContext },
): void {
  const { type, object: slice } = notification;
  const tracker = context.state(keeper.tracker);
  const isManaged = ({ metadata: { labels } }: EndpointSlice): boolean => labels?.[managedByLabel] === keeper.managedBy;
  const enqueue = (of: EndpointSlice): void => {
    const key = serviceKeyOf(of);
    if (key !== undefined) context.enqueue(key, keeper.delayMs);
  };
  if (type === "deleted") {
    if (isManaged(slice) && tracker.isForeignDeletion(slice)) enqueue(slice);
    return;
  }
  if (type === "updated") {
    const { before } = notification;
    if (serviceKeyOf(before) !== serviceKeyOf(slice)) {
      enqueue(slice);
      enqueue(before);
      return;
    }
    if (isManaged(before) !== isManaged(slice)) return enqueue(slice);
  }
  if (isManaged(slice) && tracker.isForeign(slice)) enqueue(slice);
}
