/** Turns manifests and flags into the requested changes. */
import { objectKey } from "../../../src/api/key.ts";
import { apiVersionOf, type Kind } from "../../../src/api/kind.ts";
import { nodeChanges, type NodeFlags, validateNodeFlags } from "./node-flags.ts";
import { namedOrCounted } from "./report/headline.ts";
import { type DiscoveredKind, findKind } from "../../../src/client/api/discovery.ts";
import type { RejectedChange, RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import type { Problem } from "../../manifests/manifest-text.ts";
import { type BothSides, type Manifest, ManifestError, problemOf } from "../../manifests/manifests.ts";
import { statusErrorLines, fieldErrors } from "../../manifests/status-errors.ts";
import { UserError } from "../../cli/user-error.ts";

/** The changes as given by the user. */
export interface ChangeFlags extends BothSides, NodeFlags {
  /** Each `TYPE/NAME`. */
  readonly deletes: readonly string[];
  /** Each `TYPE/NAME=N`. */
  readonly scales: readonly string[];
  /** Delete objects that are in the baseline but not among the manifests. */
  readonly prune: boolean;
}

/** Whether a manifest is an object saved from a cluster, which exists from the start instead of being applied. */
export function isSaved({ object }: Manifest): boolean {
  const { uid, resourceVersion } = object.metadata as { readonly uid?: string; readonly resourceVersion?: string };
  return uid !== undefined && resourceVersion !== undefined;
}

/** The context for resolving the flags. */
export interface ChangeContext {
  readonly kinds: readonly DiscoveredKind[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Objects that exist from the start and are not applied. */
  readonly given?: ReadonlySet<Manifest["object"]>;
}

const targetForm = /^[^/]+\/[^/]+$/;
const scaleForm = /^([^/]+\/[^/=]+)=(\d+)$/;

/** @throws UserError for words that are not `TYPE/NAME`, before anything is read. */
export function validateChangeFlags({
  scales,
  deletes,
  ...nodes
}: Pick<ChangeFlags, "scales" | "deletes" | keyof NodeFlags>): void {
  validateNodeFlags(nodes);
  for (const text of scales) {
    if (!scaleForm.test(text)) {
      throw new UserError(`--scale ${text} cannot be read`, ["it takes TYPE/NAME=N: deploy/web=5"]);
    }
  }
  for (const text of deletes) {
    if (!targetForm.test(text)) {
      throw new UserError(`--delete ${text} cannot be read`, ["it takes TYPE/NAME, as kubectl does: deploy/web"]);
    }
  }
}

/**
 * Refuses manifests without a name but with a `generateName`: an apply needs the name. Source: kubectl v0.36 pkg/cmd/apply/apply.go
 * applyOneObject.
 * @throws ManifestError with their lines.
 */
export function refuseGeneratedNames({ manifests, baseline }: Pick<ChangeFlags, "manifests" | "baseline">): void {
  const unnamed = [...manifests, ...baseline].filter(
    ({ object: { metadata } }) => (metadata.name ?? "") === "" && metadata.generateName !== undefined,
  );
  if (unnamed.length === 0) return;
  throw new ManifestError(
    "kubectl apply would refuse this",
    unnamed.map((manifest) => problemOf(manifest, "metadata.generateName", "cannot use generate name with apply")),
    ["give it a metadata.name"],
  );
}

/** The changes to make, in order. */
export interface RequestedChanges {
  readonly changes: readonly RequestedChange[];
  readonly baseline: readonly RequestedChange[];
  /** Sentences about changes that were not requested, but may have been meant. */
  readonly notes: readonly string[];
}

/**
 * Resolves validated flags. If nodes are given, all other changes come before the comparison starts, so that the report is about the nodes
 * alone.
 * @throws UserError for an unknown type.
 */
export function requestedChanges(words: ChangeFlags, place: ChangeContext): RequestedChanges {
  const { kinds, namespace, given } = place;
  const apply = ({ object }: Manifest): RequestedChange => ({ is: "apply", object: object, namespace });
  const isGiven = ({ object }: Manifest): boolean => given?.has(object) === true;
  const scales = words.scales.map((text): RequestedChange => {
    const [, target = "", count = ""] = scaleForm.exec(text) ?? [];
    return { is: "scale", ...targetOf(target, "--scale", kinds, namespace), replicas: Number(count) };
  });
  const deletes = words.deletes.map((text): RequestedChange => ({
    is: "delete",
    ...targetOf(text, "--delete", kinds, namespace),
  }));
  const gone = goneFrom(words, place);
  const left = gone.map(({ kind, name, namespace }) => ({ of: kind, key: objectKey(namespace, name) }));
  const changes = [
    ...words.manifests.filter((each) => !isGiven(each)).map(apply),
    ...(words.prune ? gone : []),
    ...scales,
    ...deletes,
  ];
  const baseline = words.baseline.filter((manifest) => !isSaved(manifest) && !isGiven(manifest)).map(apply);
  const ofNodes = nodeChanges(words);
  return {
    ...(ofNodes.length === 0 ? { changes, baseline } : { changes: ofNodes, baseline: [...baseline, ...changes] }),
    notes:
      left.length === 0 || words.prune
        ? []
        : [`in the baseline, not in -f: ${namedOrCounted(left)}; --prune deletes them`],
  };
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The objects to prune: those of the baseline that the manifests no longer contain. Saved objects count only if somebody has applied them,
 * since the others were mostly created by controllers.
 */
function goneFrom(
  { manifests, baseline, prune }: ChangeFlags,
  { kinds, namespace, given }: ChangeContext,
): readonly Extract<RequestedChange, { readonly is: "delete" }>[] {
  // Without manifests, such as for --delete, nothing is meant to be gone.
  if (manifests.length === 0 && !prune) return [];
  const nameOf = ({
    object,
  }: Manifest): { readonly kind: Kind; readonly namespace: string; readonly name: string } | undefined => {
    const kind = kinds.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
    const { name, namespace: own = namespace } = object.metadata;
    return kind === undefined || name === undefined ? undefined : { kind, namespace: kind.namespaced ? own : "", name };
  };
  const wordOf = (manifest: Manifest): string => {
    const named = nameOf(manifest);
    return named === undefined ? "" : `${named.kind.group}/${named.kind.kind} ${named.namespace}/${named.name}`;
  };
  const kept = new Set(manifests.map(wordOf));
  return baseline.flatMap((manifest) => {
    const annotations = (manifest.object.metadata as { readonly annotations?: Readonly<Record<string, string>> })
      .annotations;
    if (kept.has(wordOf(manifest)) || given?.has(manifest.object) === true) return [];
    if (isSaved(manifest) && annotations?.[lastApplied] === undefined) return [];
    const named = nameOf(manifest);
    return named === undefined ? [] : [{ is: "delete", ...named, isPruned: true }];
  });
}

function targetOf(
  text: string,
  option: string,
  kinds: readonly DiscoveredKind[],
  namespace: string,
): { readonly kind: Kind; readonly namespace: string; readonly name: string } {
  const [type = "", name = ""] = text.split("/");
  const kind = findKind(kinds, type);
  if (kind === undefined)
    throw new UserError(`${option} ${text}: there is no type ${type}`, ["`kubectl api-resources` lists the types"]);
  return { kind, namespace: kind.namespaced ? namespace : "", name };
}

/** @throws UserError if any change was refused, with what, where and why. */
export function refuseRejectedChanges(refused: readonly RejectedChange[], words: ChangeFlags): void {
  if (refused.length === 0) return;
  const all = [...words.manifests, ...words.baseline];
  const problems: Problem[] = [];
  const others: string[] = [];
  for (const { requested: wish, error } of refused) {
    const manifest = wish.is === "apply" ? all.find(({ object }) => object === wish.object) : undefined;
    if (manifest !== undefined) {
      problems.push(...fieldErrors(error).map(({ field, text }) => problemOf(manifest, field, text)));
    } else if (wish.is === "apply") others.push(...statusErrorLines(wish.object.kind, error));
    else others.push(`${wish.is} ${wish.kind.kind} ${wish.name}: ${error.message}`);
  }
  const isLate = problems.some(({ text }) => /^namespaces ".*" not found$/.test(text));
  const next = isLate
    ? ["manifests are applied in their order, as kubectl does: is there a Namespace among them, and is it first?"]
    : [];
  throw new ManifestError("the API server would refuse this", problems, [...others, ...next]);
}
