/**
 * AppArmor profiles of containers, formerly annotations: in a new pod the annotation is copied to the field.
 * Source: kubernetes v1.36 pkg/registry/core/pod/strategy.go applyAppArmorVersionSkew, pkg/api/pod/util.go.
 */
import { deepEqual } from "../../../../../api/field-changes.ts";
import { appArmorPrefix } from "./profile-annotations.ts";
import { at, child, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../../../meta/object.ts";

/** The profile of an annotation; undefined if it is unknown. */
export function appArmorOfAnnotation(annotation: string): Fields | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = /^localhost\/(.+)$/s.exec(annotation)?.[1];
  return name === undefined ? undefined : { type: "Localhost", localhostProfile: name };
}

const longestName = 4095;

/** True if a field may have the profile's name. */
function isUsable(profile: Fields): boolean {
  const name = profile["localhostProfile"];
  return typeof name !== "string" || (name.trim() === name && name !== "" && name.length <= longestName);
}

/** Copies annotations of a new pod to its fields. Returns the names of the containers to warn about. */
export function applyAppArmorAnnotations(pod: ApiObject): string[] {
  const annotations = pod.metadata.annotations ?? {};
  if (!Object.keys(annotations).some((key) => key.startsWith(appArmorPrefix))) return [];
  if (at(pod.spec, "os", "name") === "windows") return [];
  const ofPod = at(pod.spec, "securityContext", "appArmorProfile");
  const warned: string[] = [];
  for (const container of ["initContainers", "containers"].flatMap((key) => fieldsIn(pod.spec?.[key]))) {
    const name = textOf(container["name"]);
    const annotation = annotations[appArmorPrefix + name];
    if (annotation === undefined || isFields(at(container, "securityContext", "appArmorProfile"))) continue;
    const profile = appArmorOfAnnotation(annotation);
    const usable = profile !== undefined && isUsable(profile);
    if (usable && deepEqual(profile, ofPod)) continue;
    if (usable) child(container, "securityContext")["appArmorProfile"] = profile;
    warned.push(name);
  }
  return warned;
}
