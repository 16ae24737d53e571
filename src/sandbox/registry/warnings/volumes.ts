/** What a client is told of a pod's volumes. Source: kubernetes v1.36 pkg/api/pod/warnings.go, pkg/api/persistentvolumeclaim/util.go. */
import { at, fieldsIn, isFields, textOf, type Fields } from "../../object.ts";
import { fractionWarnings } from "./fields.ts";

/** Kinds of volumes that are going or gone, in the order in which they are told; `ephemeral` is told of among them. */
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

/** The server's own name of a field, where it is another. */
const shownKeys: Readonly<Record<string, string>> = { storageos: "storageOS" };

/** Of the spec of a claim for storage, where it stands. */
export function claimWarnings(spec: unknown, field: string): string[] {
  return ["requests", "limits"].flatMap((list) =>
    fractionWarnings(at(spec, "resources", list), `${field}.resources.${list}`, ["storage"]),
  );
}

export function volumeWarnings(spec: Fields, field: string): string[] {
  const volumes = fieldsIn(spec["volumes"]);
  const old = volumes.flatMap((volume, index) =>
    oldVolumes.flatMap(([key, message]) => {
      if (!isFields(volume[key])) return [];
      const here = `${field}.volumes[${index}].${shownKeys[key] ?? key}`;
      return key === "ephemeral"
        ? claimWarnings(at(volume, key, "volumeClaimTemplate", "spec"), `${here}.volumeClaimTemplate.spec`)
        : [`${here}: ${message}`];
    }),
  );
  return [...old, ...volumes.flatMap(overlaps)];
}

interface Path {
  readonly path: string;
  readonly source: string;
}

const shown = ({ path, source }: Path): string => `${JSON.stringify(path)}${source === "" ? "" : ` (${source})`}`;

function pathsIn(items: unknown, source: string): Path[] {
  return fieldsIn(items).map(({ path }) => ({ path: textOf(path), source }));
}

/** Files of one volume of which one is the other, or stands in the other's place as a folder. */
function overlaps(volume: Fields): string[] {
  const name = JSON.stringify(textOf(volume["name"]));
  const single: readonly (readonly [key: string, what: string])[] = [
    ["configMap", `ConfigMap ${JSON.stringify(at(volume, "configMap", "name") ?? "")}`],
    ["secret", `Secret ${JSON.stringify(at(volume, "secret", "secretName") ?? "")}`],
    ["downwardAPI", "DownwardAPI"],
  ];
  const found = single.flatMap(([key, what]) =>
    collisions(pathsIn(at(volume, key, "items"), "")).map(
      (pair) => `volume ${name} (${what}): overlapping paths: ${pair}`,
    ),
  );
  if (!isFields(volume["projected"])) return found;
  const sources = fieldsIn(volume["projected"]["sources"]);
  const empty = sources.filter((source) => Object.keys(source).length === 0);
  return [
    ...found,
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...collisions(sources.flatMap(projectedPaths)).map(
      (pair) => `volume ${name} (Projected): overlapping paths: ${pair}`,
    ),
  ];
}

function projectedPaths(source: Fields): Path[] {
  const named = (key: string, what: string): string => `${what} ${JSON.stringify(at(source, key, "name") ?? "")}`;
  const one = (path: unknown, what: string): Path[] =>
    typeof path === "string" && path !== "" ? [{ path, source: what }] : [];
  const trust = at(source, "clusterTrustBundle");
  const bundle = at(trust, "name") ?? at(trust, "signerName") ?? "";
  return [
    ...pathsIn(at(source, "configMap", "items"), named("configMap", "ConfigMap")),
    ...pathsIn(at(source, "secret", "items"), named("secret", "Secret")),
    ...pathsIn(at(source, "downwardAPI", "items"), "DownwardAPI"),
    ...one(at(source, "serviceAccountToken", "path"), "ServiceAccountToken"),
    ...one(at(trust, "path"), `ClusterTrustBundle ${JSON.stringify(bundle)}`),
    ...one(at(source, "podCertificate", "certificateChainPath"), "PodCertificate chain"),
    ...one(at(source, "podCertificate", "keyPath"), "PodCertificate key"),
    ...one(at(source, "podCertificate", "credentialBundlePath"), "PodCertificate credential bundle"),
  ];
}

function collisions(paths: readonly Path[]): string[] {
  const whole = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  return whole.flatMap((mine, index) =>
    whole
      .slice(0, index)
      .filter(({ path }) => {
        if (mine.path === "" || path === "") return false;
        return `${path}/`.startsWith(`${mine.path}/`) || `${mine.path}/`.startsWith(`${path}/`);
      })
      .map((other) => `${shown(mine)} with ${shown(other)}`),
  );
}
