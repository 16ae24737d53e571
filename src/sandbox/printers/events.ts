/** The table of Events, for both groups. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go printEvent. */
import { at, isFields } from "../meta/object.ts";
import { ageOf } from "./age.ts";
import { type Cells, numberAt, textAt } from "./cells.ts";

/** The columns of Events. */
export const eventCells: Cells = (event, now) => {
  const first = ageOf(event["firstTimestamp"] ?? event["eventTime"], now);
  const { series } = event;
  const last = isFields(series)
    ? ageOf(series["lastObservedTime"], now)
    : event["lastTimestamp"] === undefined || event["lastTimestamp"] === null
      ? first
      : ageOf(event["lastTimestamp"], now);
  const kind = textAt(event, ["involvedObject", "kind"], "").toLowerCase();
  const name = textAt(event, ["involvedObject", "name"], "");
  const component = textAt(event, ["source", "component"], textAt(event, ["reportingComponent"], ""));
  const instance = textAt(event, ["source", "host"], textAt(event, ["reportingInstance"], ""));
  return [
    last,
    textAt(event, ["type"], ""),
    textAt(event, ["reason"], ""),
    name === "" ? kind : `${kind}/${name}`,
    textAt(event, ["involvedObject", "fieldPath"], ""),
    instance === "" ? component : `${component}, ${instance}`,
    textAt(event, ["message"], "").trim(),
    first,
    isFields(series) ? numberAt(series, "count") : numberAt(event, "count") || 1,
    at(event, "metadata", "name"),
  ];
};
