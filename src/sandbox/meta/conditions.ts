/** Conditions in the status of an object. */
import { type ApiObject, type Fields, fieldsIn } from "./object.ts";

/** The first condition of this type. */
export function conditionOf({ status }: ApiObject, type: string): Fields | undefined {
  return fieldsIn(status?.["conditions"]).find((condition) => condition["type"] === type);
}

/** Whether the condition of this type is True. */
export function isTrue(object: ApiObject, type: string): boolean {
  return conditionOf(object, type)?.["status"] === "True";
}
