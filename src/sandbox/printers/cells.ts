/** Helpers for the table cells of many kinds. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go. */
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { ageOf } from "./age.ts";

/** All cells of an object's row, including wide ones, in column order. `now` is in milliseconds since 1970. */
export type Cells = (object: ApiObject, now: number) => readonly unknown[];

/** The number at a path; 0 if there is none. */
export function numberAt(object: unknown, ...path: readonly string[]): number {
  const value = at(object, ...path);
  return typeof value === "number" ? value : 0;
}

/** The string at a path; `otherwise` if there is none. */
export function textAt(object: unknown, path: readonly string[], otherwise: string): string {
  const value = at(object, ...path);
  return typeof value === "string" && value !== "" ? value : otherwise;
}

/** The object's age. */
export function age({ metadata }: ApiObject, now: number): string {
  return ageOf(metadata.creationTimestamp, now);
}

/** `a=b,c=d`, or `<none>`. */
export function labelsText(labels: unknown): string {
  if (!isFields(labels) || Object.keys(labels).length === 0) return "<none>";
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(",");
}

/** A LabelSelector in the syntax of `kubectl get -l`: `app=web,tier in (a,b),!old`. Source: apimachinery v0.36 meta/v1/helpers.go. */
export function selectorText(selector: unknown): string {
  if (!isFields(selector)) return "<none>";
  const labels = selector["matchLabels"];
  const equal = isFields(labels) ? Object.entries(labels).map(([key, value]) => [key, `${key}=${String(value)}`]) : [];
  const others = fieldsIn(selector["matchExpressions"]).map((expression) => [
    String(expression["key"]),
    requirementText(expression),
  ]);
  const all = [...equal, ...others].sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
  return all.length === 0 ? "<none>" : all.map(([, text]) => text).join(",");
}

function requirementText({ key, operator, values }: Fields): string {
  const list = Array.isArray(values) ? values.map(String).sort().join(",") : "";
  switch (operator) {
    case "Exists":
      return String(key);
    case "DoesNotExist":
      return `!${String(key)}`;
    default:
      return `${String(key)} ${operator === "In" ? "in" : "notin"} (${list})`;
  }
}

/** Names and images of containers. */
export function containerCells(containers: unknown): readonly [names: string, images: string] {
  const all = fieldsIn(containers);
  const listed = (key: string): string => all.map((container) => textAt(container, [key], "")).join(",");
  return [listed("name"), listed("image")];
}

/** The first few items of a list, and the number of others: `a,b,c + 2 more...`. */
export function firstOf(list: readonly string[], most: number, otherwise: string, total: number = list.length): string {
  if (list.length === 0) return otherwise;
  const shown = list.slice(0, most).join(",");
  return list.length > most ? `${shown} + ${total - most} more...` : shown;
}

/** True if a condition is True. */
export function isTrue(object: ApiObject, type: string): boolean {
  return fieldsIn(object.status?.["conditions"]).some((each) => each["type"] === type && each["status"] === "True");
}
