/**
 * Events of both groups: `v1`, as they are stored, and `events.k8s.io/v1`.
 * Source: kubernetes v1.36 pkg/apis/events/v1/conversion.go.
 */
import type { Fields } from "../../meta/object.ts";

/** The `events.k8s.io/v1` names of the fields of `v1` Events. */
const names: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
];

const toEvents = new Map(names);
const toCore = new Map(names.map(([core, events]) => [events, core]));

function renamed(object: Fields, to: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [to.get(name) ?? name, value]));
}

/** Converts a `v1` Event to `events.k8s.io/v1`; shares its values. */
export const newEventOf = (object: Fields): Fields => renamed(object, toEvents);
/** Converts an `events.k8s.io/v1` Event to `v1`; shares its values. */
export const coreEventOf = (object: Fields): Fields => renamed(object, toCore);
