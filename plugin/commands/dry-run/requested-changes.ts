/** From manifests and flags to the changes that are requested of the cluster. */
import { objectKey } from "../../../src/api/key.ts";
import { apiVersionOf, type Kind } from "../../../src/api/kind.ts";
import { nodeChanges, type NodeFlags, validateNodeFlags } from "./asked-nodes.ts";
import { namedOrCounted } from "./report/headline.ts";
import { type DiscoveredKind, findKind } from "../../../src/client/api/discovery.ts";
import type { RejectedChange, RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import type { Problem } from "../../manifests/manifest-text.ts";
import { type BothSides, type Manifest, ManifestError, problemOf } from "../../manifests/manifests.ts";
import { statusErrorLines, fieldErrors } from "../../manifests/status-errors.ts";
import { UserError } from "../../cli/user-error.ts";

/** As the user gave them. */
export interface ChangeFlags extends BothSides, NodeFlags {
  /** `TYPE/NAME` each. */
  readonly deletes: readonly string[];
  /** `TYPE/NAME=N` each. */
  readonly scales: readonly string[];
  /** Delete what is in the baseline and not among the manifests. */
  readonly prune: boolean;
}

/** A cluster has stored it: it is not applied, it is there. */
export function isSaved({ object }: Manifest): boolean {
  const { uid, resourceVersion } = object.metadata as { readonly uid?: string; readonly resourceVersion?: string };
  return uid !== undefined && resourceVersion !== undefined;
}

/** What the words of the flags are resolved against. */
export interface ChangeContext {
  readonly kinds: readonly DiscoveredKind[];
  /** Where objects are that name none. */
  readonly namespace: string;
  /** Objects that are there from the beginning and are not applied. */
  readonly given?: ReadonlySet<Manifest["object"]>;
}

const targetForm = /^[^/]+\/[^/]+$/;
const scaleForm = /^([^/]+\/[^/=]+)=(\d+)$/;

/** @throws UserError for words that are no `TYPE/NAME`, before anything is read. */
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

/** What is to be done to the cluster, in order. */
export interface RequestedChanges {
  readonly changes: readonly RequestedChange[];
  readonly baseline: readonly RequestedChange[];
  /** A sentence about what was not requested, and might have been meant. */
  readonly notes: readonly string[];
}

/**
 * The words have been checked. Where nodes are asked about, everything else comes before: the answer is about the nodes alone.
 * @throws UserError for a type that is not known.
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
 * What the baseline has and the manifests have no more. Of what a cluster has stored only what somebody has applied: the rest was made
 * otherwise, by controllers for the most part.
 */
function goneFrom(
  { manifests, baseline }: ChangeFlags,
  { kinds, namespace, given }: ChangeContext,
): readonly Extract<RequestedChange, { readonly is: "delete" }>[] {
  if (manifests.length === 0) return [];
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
    return named === undefined ? [] : [{ is: "delete", ...named }];
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

/** @throws UserError where anything was refused: what, where and why. */
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
    ? [
        "manifests are applied in their order, as kubectl does: is there a Namespace among them, and does it come first?",
      ]
    : [];
  throw new ManifestError("the API server would refuse this", problems, [...others, ...next]);
}
