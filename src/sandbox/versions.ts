/** Objects as another version of their kind shows them. They are stored as they were written. */
import { isFields, type ApiObject, type Fields } from "./object.ts";

/** Fields of `v1` Events, and what `events.k8s.io/v1` calls them. Source: kubernetes v1.36 pkg/apis/events/v1/conversion.go. */
const eventFields: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
];

function renamed(object: Fields, names: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}

/**
 * The object at `apiVersion`. Events are known in both groups; of other kinds, whose versions the server serves side by side only
 * where they share their fields, the name of the version is all that changes.
 */
export function atVersion(object: ApiObject, apiVersion: string): Fields {
  const { kind, apiVersion: stored, ...rest } = object;
  if (stored === apiVersion || kind !== "Event" || !isFields(rest)) return { kind, apiVersion, ...rest };
  const toEvents = apiVersion !== "v1";
  const names = new Map(eventFields.map(([core, events]) => (toEvents ? [core, events] : [events, core])));
  return { kind, apiVersion, ...renamed(rest, names) };
}
