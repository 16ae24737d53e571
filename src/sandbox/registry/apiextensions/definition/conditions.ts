/** The conditions of definitions. Source: apiextensions-apiserver v0.36 pkg/apihelpers/helpers.go SetCRDCondition. */
import { formatTime } from "../../../../api/time.ts";
import { fieldsIn, type ApiObject } from "../../../meta/object.ts";

/** A condition without its transition time. */
export interface DefinitionCondition {
  readonly type: "NamesAccepted" | "Established" | "Terminating";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * Adds a condition to a definition, or replaces the one of its type; the transition time changes only with the status. `now` is in ms since
 * 1970.
 */
export function setCondition(
  definition: ApiObject,
  { now, ...condition }: DefinitionCondition & { readonly now: number },
): void {
  const all = fieldsIn(definition.status?.["conditions"]);
  const { type, status, reason, message } = condition;
  const before = all.find((each) => each["type"] === type);
  const moved = before === undefined || before["status"] !== status || (before["lastTransitionTime"] ?? null) === null;
  const lastTransitionTime = moved ? formatTime(now) : before["lastTransitionTime"];
  const made = { ...before, type, status, lastTransitionTime, reason, message };
  const conditions = before === undefined ? [...all, made] : all.map((each) => (each === before ? made : each));
  definition.status = { ...definition.status, conditions };
}
