/** Pod annotations with a meaning. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations. */
import { invalid, notAllowed, type FieldError } from "../../../../meta/field-errors.ts";
import { at, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { appArmorPrefix, mirrorAnnotation, podSeccomp, seccompPrefix } from "../profiles/profile-annotations.ts";
import { relativePathErrors } from "../volumes/paths.ts";
import { allContainers, type PodScope } from "./scope.ts";

type Annotations = Readonly<Record<string, string>>;
type Specified = Pick<PodScope, "spec" | "field">;

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const localhost = "localhost/";

/** A 32-bit integer without a plus sign or leading zeros. */
function isCost(text: string): boolean {
  return /^(-\d+|0|[1-9]\d*)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

function seccompErrors(profile: string, field: string): FieldError[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return [];
  if (profile.startsWith(localhost)) return relativePathErrors(profile.slice(localhost.length), field);
  return [invalid(field, profile, "must be a valid seccomp profile")];
}

function appArmorErrors(name: string, profile: string, field: string, names: ReadonlySet<string>): FieldError[] {
  const known = ["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith(localhost);
  return [
    ...(names.has(name) ? [] : [invalid(field, name, "container not found")]),
    ...(known ? [] : [invalid(field, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)]),
  ];
}

const sorted = (annotations: Annotations): [string, string][] =>
  Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));

/** Validates the annotations of a pod or a template; `field` is their path. */
export function podAnnotationErrors(all: unknown, spec: Fields, field: string): FieldError[] {
  if (!isFields(all)) return [];
  const annotations = all as Annotations;
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && textOf(spec["nodeName"]) === "") {
    const why = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalid(`${field}[${mirrorAnnotation}]`, mirror, why));
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isCost(cost))
    errors.push(invalid(`${field}[${deletionCost}]`, cost, "must be a 32bit integer"));
  const names = new Set(allContainers({ spec, field: "" }).map(({ container }) => textOf(container["name"])));
  const ofPod = annotations[podSeccomp];
  if (ofPod !== undefined) errors.push(...seccompErrors(ofPod, `${field}.${podSeccomp}`));
  for (const [key, value] of sorted(annotations))
    if (key.startsWith(seccompPrefix)) errors.push(...seccompErrors(value, `${field}.${key}`));
  for (const [key, value] of sorted(annotations)) {
    if (!key.startsWith(appArmorPrefix)) continue;
    errors.push(...appArmorErrors(key.slice(appArmorPrefix.length), value, `${field}[${key}]`, names));
  }
  return errors;
}

/** The annotation values that mean the same as a field, without what follows `localhost/`. */
const seccompTexts = { Unconfined: ["unconfined"], RuntimeDefault: ["runtime/default", "docker/default"] } as const;
const appArmorTexts = { Unconfined: ["unconfined"], RuntimeDefault: ["runtime/default"] } as const;

type Texts = Readonly<Record<"Unconfined" | "RuntimeDefault", readonly string[]>>;

/** A profile set by both an annotation and a field must be the same in both. */
function matchErrors(
  annotation: string | undefined,
  profile: unknown,
  { field, texts, shown }: { readonly field: string; readonly texts: Texts; readonly shown: string },
): FieldError[] {
  const { type, localhostProfile } = (isFields(profile) ? profile : {}) as { type?: string; localhostProfile?: string };
  if (annotation === undefined || type === undefined) return [];
  const types = [notAllowed(`${field}.type`, `${shown} type in annotation and field must match`)];
  if (type === "Unconfined" || type === "RuntimeDefault") return texts[type].includes(annotation) ? [] : types;
  if (type !== "Localhost") return [];
  if (!annotation.startsWith(localhost)) return types;
  if (annotation.slice(localhost.length) === localhostProfile) return [];
  return [notAllowed(`${field}.localhostProfile`, `${shown} profile in annotation and field must match`)];
}

/** In new pods and templates, profiles in annotations must equal those in fields. */
export function profileMatchErrors(all: unknown, { spec, field }: Specified): FieldError[] {
  const annotations = (isFields(all) ? all : {}) as Annotations;
  const containers = allContainers({ spec, field });
  const seccomp = { texts: seccompTexts, shown: "seccomp" };
  const appArmor = { texts: appArmorTexts, shown: "apparmor" };
  const place = (where: string, key: string): string => `${where}.securityContext.${key}`;
  const profileOf = (of: Fields, key: string): unknown => at(of, "securityContext", key);
  const ofPod = profileOf(spec, "appArmorProfile");
  return [
    ...matchErrors(annotations[podSeccomp], profileOf(spec, "seccompProfile"), {
      ...seccomp,
      field: place(field, "seccompProfile"),
    }),
    ...containers.flatMap(({ container, field: here }) =>
      matchErrors(annotations[seccompPrefix + textOf(container["name"])], profileOf(container, "seccompProfile"), {
        ...seccomp,
        field: place(here, "seccompProfile"),
      }),
    ),
    ...(at(spec, "os", "name") === "windows" ? [] : containers).flatMap(({ container, field: here }) =>
      matchErrors(
        annotations[appArmorPrefix + textOf(container["name"])],
        profileOf(container, "appArmorProfile") ?? ofPod,
        { ...appArmor, field: place(here, "appArmorProfile") },
      ),
    ),
  ];
}

/** Annotations that cannot change. */
export function keptAnnotationErrors(now: Annotations = {}, before: Annotations = {}): FieldError[] {
  const isKept = (key: string): boolean => key.startsWith(appArmorPrefix) || key === mirrorAnnotation;
  const changed = sorted(before).filter(([key, value]) => isKept(key) && now[key] !== value);
  const added = sorted(now).filter(([key]) => isKept(key) && before[key] === undefined);
  const error = (key: string, what: string): FieldError =>
    notAllowed(
      `metadata.annotations[${key}]`,
      `may not ${what} ${key === mirrorAnnotation ? "mirror pod annotation" : "AppArmor annotations"}`,
    );
  return [...changed.map(([key]) => error(key, "remove or update")), ...added.map(([key]) => error(key, "add"))];
}
