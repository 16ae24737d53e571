/** Explains a kind that no API server of this release has. */
import { apiVersionOf, groupOf, type Kind } from "../../src/api/kind.ts";
import type { DiscoveredKind } from "../../src/client/api/discovery.ts";
import { type BothSides, ManifestError, problemOf } from "./manifests.ts";
import { nearest } from "../cli/nearest.ts";
import { definedKinds } from "./custom-kinds.ts";
import { removedVersions } from "./removed-versions.ts";

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Groups that Kubernetes no longer has. */
const formerGroups: ReadonlySet<string> = new Set(
  removedVersions.map(({ apiVersion }) => groupOf(apiVersion)).filter((group) => group !== ""),
);

/**
 * Whether a group belongs to Kubernetes itself. Other groups have a dot in their name, since a CustomResourceDefinition requires one; but
 * not every group that ends with `k8s.io` is Kubernetes' own.
 */
export function isOwnGroup(apiVersion: string, kinds: readonly Kind[]): boolean {
  const group = groupOf(apiVersion);
  return !group.includes(".") || formerGroups.has(group) || ownGroups(kinds).has(group);
}

/** The served groups that are named like Kubernetes' own. */
function ownGroups(kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(kinds.map(({ group }) => group).filter((group) => /^[a-z.]+\.k8s\.io$/.test(group)));
}

/**
 * Why the kind is not served, and what may have been meant: `there is no kind Deploymnt in apps/v1: did you mean Deployment?`,
 * `Deployment of extensions/v1beta1 was removed in Kubernetes 1.16: use apps/v1`.
 */
export function whyUnknown({ apiVersion, kind }: Typed, kinds: readonly Kind[]): string {
  const removed = removedVersions.find((each) => each.apiVersion === apiVersion && each.kinds.includes(kind));
  if (removed !== undefined) {
    const { removedIn, instead, advice } = removed;
    const what = instead === undefined ? advice : `use ${instead}`;
    return `${kind} of ${apiVersion} was removed in Kubernetes ${removedIn}${what === undefined ? "" : `: ${what}`}`;
  }
  const missing = `there is no kind ${kind} in ${apiVersion}`;
  const elsewhere = kinds.filter((each) => each.kind === kind).map(apiVersionOf);
  if (elsewhere.length > 0) return `${missing}: did you mean ${nearer(apiVersion, elsewhere)}?`;
  const inVersion = kinds.filter((each) => apiVersionOf(each) === apiVersion).map((each) => each.kind);
  const inAny = kinds.map((each) => each.kind);
  // Third-party kinds may be named like Kubernetes' own, which are then not meant.
  const near = nearestKind(kind, inVersion) ?? (isOwnGroup(apiVersion, kinds) ? nearestKind(kind, inAny) : undefined);
  if (near === undefined) return missing;
  const where = inVersion.includes(near) ? "" : ` of ${apiVersionOf(kinds.find((each) => each.kind === near) as Kind)}`;
  return `${missing}: did you mean ${near}${where}?`;
}

/** A version in the same group, or else the first. */
function nearer(apiVersion: string, versions: readonly string[]): string {
  return versions.find((each) => groupOf(each) === groupOf(apiVersion)) ?? versions[0] ?? "";
}

/** Shorter words are similar to too many. */
const shortestName = 4;

/** `deployment` and `Deployments` count as similar to Deployment, too. */
function nearestKind(kind: string, kinds: readonly string[]): string | undefined {
  const lower = kind.toLowerCase();
  const exact = kinds.find((each) => each.toLowerCase() === lower || `${each.toLowerCase()}s` === lower);
  return exact ?? (kind.length < shortestName ? undefined : nearest(kind, kinds));
}

/**
 * Rejects a kind that the server lacks and no manifest defines, as kubectl would. For an empty cluster, it is unknown which third-party
 * kinds it would have: those are passed on, and reported as not followed.
 * @throws ManifestError
 */
export function refuseUnknownKinds(
  { manifests, baseline }: BothSides,
  kinds: readonly DiscoveredKind[],
  server: "the cluster" | "an API server",
): void {
  const all = [...baseline, ...manifests];
  const defined = all.flatMap(({ object }) => definedKinds(object));
  const unknown = all.filter(({ object }) => {
    if ([...kinds, ...defined].some((kind) => isOf(object, kind))) return false;
    return server === "the cluster" || isOwnGroup(object.apiVersion, kinds);
  });
  if (unknown.length === 0) return;
  throw new ManifestError(
    `${server} does not serve all that is to be applied`,
    unknown.map((manifest) => problemOf(manifest, "kind", whyUnknown(manifest.object, kinds))),
  );
}

/** Whether an object in a manifest is of the kind. */
export function isOf(object: { readonly apiVersion?: string; readonly kind?: string }, kind: Kind): boolean {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}
