/** Warnings about a pod's volumes. Source: kubernetes v1.36 pkg/api/pod/warnings.go, pkg/api/persistentvolumeclaim/util.go. */
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { fractionWarnings } from "./fields.ts";

/** Deprecated and removed volume types, in the order of their warnings; `ephemeral` comes among them. */
const oldVolumes: readonly (readonly [key: string, message: string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", ""],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** The server's name of a field, if it differs. */
const shownKeys: Readonly<Record<string, string>> = { storageos: "storageOS" };

/** The warnings for the spec of a PersistentVolumeClaim at `field`. */
export function claimWarnings(spec: unknown, field: string): string[] {
  return ["requests", "limits"].flatMap((list) =>
    fractionWarnings(at(spec, "resources", list), `${field}.resources.${list}`, ["storage"]),
  );
}

/** Most volumes cause no warnings: for these, only the keys are checked. */
export function volumeWarnings(spec: Fields, field: string): string[] {
  const volumes = fieldsIn(spec["volumes"]);
  const old: string[] = [];
  for (const [index, volume] of volumes.entries()) {
    for (const [key, message] of oldVolumes) {
      if (!isFields(volume[key])) continue;
      const here = `${field}.volumes[${index}].${shownKeys[key] ?? key}`;
      if (key !== "ephemeral") old.push(`${here}: ${message}`);
      else
        old.push(...claimWarnings(at(volume, key, "volumeClaimTemplate", "spec"), `${here}.volumeClaimTemplate.spec`));
    }
  }
  for (const volume of volumes) old.push(...overlaps(volume));
  return old;
}

interface Path {
  readonly path: string;
  /** The source, as the warning names it. */
  readonly source: () => string;
}

function shown({ path, source }: Path): string {
  const whose = source();
  return `${JSON.stringify(path)}${whose === "" ? "" : ` (${whose})`}`;
}

function pathsIn(items: unknown, source: () => string): Path[] {
  return fieldsIn(items).map(({ path }) => ({ path: textOf(path), source }));
}

/** Volumes with files from one source, and the name of each in a warning. */
const single: readonly (readonly [key: string, what: (volume: Fields) => string])[] = [
  ["configMap", (volume) => `ConfigMap ${JSON.stringify(at(volume, "configMap", "name") ?? "")}`],
  ["secret", (volume) => `Secret ${JSON.stringify(at(volume, "secret", "secretName") ?? "")}`],
  ["downwardAPI", () => "DownwardAPI"],
];

/** Paths of one volume that are equal, or one of which is inside the other. */
function overlaps(volume: Fields): string[] {
  const name = (): string => JSON.stringify(textOf(volume["name"]));
  const found: string[] = [];
  for (const [key, what] of single) {
    for (const pair of collisions(pathsIn(at(volume[key], "items"), () => ""))) {
      found.push(`volume ${name()} (${what(volume)}): overlapping paths: ${pair}`);
    }
  }
  if (!isFields(volume["projected"])) return found;
  const sources = fieldsIn(volume["projected"]["sources"]);
  for (const source of sources) {
    if (Object.keys(source).length === 0) found.push(`volume ${name()} (Projected) has no sources provided`);
  }
  if (!mayOverlap(sources)) return found;
  for (const pair of collisions(sources.flatMap(projectedPaths))) {
    found.push(`volume ${name()} (Projected): overlapping paths: ${pair}`);
  }
  return found;
}

const pathKeys = ["path", "certificateChainPath", "keyPath", "credentialBundlePath"] as const;

/** A cheap test, since every pod has such a volume for its token: whether any two paths of the sources have a common prefix. */
function mayOverlap(sources: readonly Fields[]): boolean {
  const seen: string[] = [];
  const overlapping = (path: unknown): boolean => {
    if (typeof path !== "string" || path === "") return false;
    if (seen.some((other) => other.startsWith(path) || path.startsWith(other))) return true;
    seen.push(path.replace(/\/+$/, ""));
    return false;
  };
  for (const source of sources) {
    for (const key in source) {
      const part = source[key];
      if (!isFields(part)) continue;
      for (const pathKey of pathKeys) if (overlapping(part[pathKey])) return true;
      if (Array.isArray(part["items"]) && fieldsIn(part["items"]).some(({ path }) => overlapping(path))) return true;
    }
  }
  return false;
}

function projectedPaths(source: Fields): Path[] {
  const named = (key: string, what: string) => (): string => `${what} ${JSON.stringify(at(source, key, "name") ?? "")}`;
  const one = (path: unknown, what: () => string): Path[] =>
    typeof path === "string" && path !== "" ? [{ path, source: what }] : [];
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: trust, podCertificate } = source;
  const bundle = (): unknown => at(trust, "name") ?? at(trust, "signerName") ?? "";
  return [
    ...pathsIn(at(configMap, "items"), named("configMap", "ConfigMap")),
    ...pathsIn(at(secret, "items"), named("secret", "Secret")),
    ...pathsIn(at(downwardAPI, "items"), () => "DownwardAPI"),
    ...one(at(serviceAccountToken, "path"), () => "ServiceAccountToken"),
    ...one(at(trust, "path"), () => `ClusterTrustBundle ${JSON.stringify(bundle())}`),
    ...one(at(podCertificate, "certificateChainPath"), () => "PodCertificate chain"),
    ...one(at(podCertificate, "keyPath"), () => "PodCertificate key"),
    ...one(at(podCertificate, "credentialBundlePath"), () => "PodCertificate credential bundle"),
  ];
}

function collisions(paths: readonly Path[]): string[] {
  if (paths.length < 2) return [];
  const whole = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  return whole.flatMap((mine, index) =>
    whole
      .slice(0, index)
      .filter(({ path }) => {
        if (mine.path === "" || path === "") return false;
        return path === mine.path || path.startsWith(`${mine.path}/`) || mine.path.startsWith(`${path}/`);
      })
      .map((other) => `${shown(mine)} with ${shown(other)}`),
  );
}
