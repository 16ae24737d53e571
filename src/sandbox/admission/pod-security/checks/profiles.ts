/**
 * Linux security profiles: AppArmor, SELinux, seccomp.
 * Source: pod-security-admission v0.36 policy/check_{appArmorProfile,seLinuxOptions,seccompProfile_baseline,seccompProfile_restricted}.go.
 */
import { isFields, textOf, type Fields } from "../../../meta/object.ts";
import { appArmorPrefix, podSeccomp, seccompPrefix } from "../../../registry/core/pod/profiles/profile-annotations.ts";
import {
  containersNamed,
  containersOf,
  isWindows,
  namesWhere,
  plural,
  quoted,
  secured,
  setters,
  sortedSet,
  unless,
  type Check,
  type CheckPod,
  type PodLike,
} from "./check.ts";

const confined = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";

/** The type of a profile; undefined if it is not set. */
function profileType(of: Fields, profile: string): string | undefined {
  const set = secured(of, profile);
  return isFields(set) ? textOf(set["type"]) : undefined;
}

interface Loose {
  readonly inPod: boolean;
  readonly containers: readonly string[];
  readonly types: readonly string[];
}

/** Where an unconfined profile is set. */
function looseProfiles(pod: PodLike, profile: string): Loose {
  const isLoose = (of: Fields): boolean => {
    const type = profileType(of, profile);
    return type !== undefined && !confined(type);
  };
  const holders = [pod.spec, ...containersOf(pod)].filter(isLoose);
  return {
    inPod: isLoose(pod.spec),
    containers: namesWhere(pod, isLoose),
    types: sortedSet(holders.map((of) => profileType(of, profile) ?? "")),
  };
}

const appArmorValue = /^$|^runtime\/default$|^localhost\//;

const appArmor: CheckPod = (pod) => {
  const loose = looseProfiles(pod, "appArmorProfile");
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !appArmorValue.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const who = [
    setters(loose.inPod, loose.containers),
    annotations.length === 0 ? "" : plural("annotation", annotations.length),
  ].filter((part) => part !== "");
  if (who.length === 0) return undefined;
  const values = [...loose.types, ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const seLinux =
  (types: ReadonlySet<string>): CheckPod =>
  (pod) => {
    const typeOf = (of: Fields): string => textOf(secured(of, "seLinuxOptions", "type"));
    const sets = (of: Fields, key: string): boolean => (secured(of, "seLinuxOptions", key) ?? "") !== "";
    const isBad = (of: Fields): boolean => !types.has(typeOf(of)) || sets(of, "user") || sets(of, "role");
    const holders = [pod.spec, ...containersOf(pod)].filter(isBad);
    if (holders.length === 0) return undefined;
    const badTypes = sortedSet(holders.map(typeOf)).filter((type) => !types.has(type));
    const data = [
      ...(badTypes.length === 0 ? [] : [`${plural("type", badTypes.length)} ${quoted(badTypes)}`]),
      ...["user", "role"].filter((key) => holders.some((of) => sets(of, key))).map((key) => `${key} may not be set`),
    ];
    const who = setters(isBad(pod.spec), namesWhere(pod, isBad));
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
    };
  };

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

const seccompValue = /^(runtime|docker)\/default$|^localhost\//;

/** The annotations for profiles from before there were fields. */
const seccompAnnotations: CheckPod = (pod) => {
  const keys = [podSeccomp, ...containersOf(pod).map(({ name }) => `${seccompPrefix}${textOf(name)}`)];
  const forbidden = sortedSet(
    keys.flatMap((key) => {
      const value = pod.annotations[key];
      return value === undefined || seccompValue.test(value) ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `forbidden ${plural("annotation", forbidden.length)} ${forbidden.join(", ")}`,
  };
};

const seccompLoose: CheckPod = (pod) => {
  const { inPod, containers, types } = looseProfiles(pod, "seccompProfile");
  if (types.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `${setters(inPod, containers)} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
};

const seccompConfined: CheckPod = (pod) => {
  const loose = seccompLoose(pod);
  if (loose !== undefined || profileType(pod.spec, "seccompProfile") !== undefined) return loose;
  const silent = namesWhere(pod, (container) => profileType(container, "seccompProfile") === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersNamed(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

/** The controls for seccomp, AppArmor and SELinux. */
export const profileChecks: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", revisions: [{ since: 0, check: appArmor }] },
  {
    id: "seLinuxOptions",
    level: "baseline",
    revisions: [
      { since: 0, check: seLinux(new Set(seLinuxTypes)) },
      { since: 31, check: seLinux(new Set([...seLinuxTypes, "container_engine_t"])) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    revisions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompLoose },
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    inPlaceOf: "seccompProfile_baseline",
    revisions: [
      { since: 19, check: seccompConfined },
      { since: 25, check: unless(isWindows, seccompConfined) },
    ],
  },
];
