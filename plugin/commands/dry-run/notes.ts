/** What could not be read from a cluster, and the consequences: a note in the report, or an error. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Snapshot, Unreadable } from "../../../src/modes/dry-run/snapshot.ts";
import type { DryRunFlags } from "./flags.ts";
import { UserError } from "../../cli/user-error.ts";

/** Kinds that a dry run can do without, and the consequences. */
const consequences: Readonly<Record<string, string>> = {
  nodes: "nodes could not be read; pods are placed on 3 simulated ones of 8 CPUs and 16 GiB",
  serviceaccounts: "ServiceAccounts could not be read; assuming a default one",
  resourcequotas: "ResourceQuotas could not be read; assuming there are none",
  limitranges: "LimitRanges could not be read; assuming there are none",
  namespaces: "namespaces could not be listed; only those of the manifests are known",
};

/**
 * The controllers whose objects can all be read. Named controllers must be among them.
 * @throws UserError for a needed kind that the user is not allowed to read.
 */
export function controllersThatCan(
  controllers: readonly ControllerDefinition[],
  { unreadable }: Snapshot,
  {
    applied,
    named,
    flags,
  }: { readonly applied: readonly Kind[]; readonly named: boolean; readonly flags: DryRunFlags },
): { readonly controllers: readonly ControllerDefinition[]; readonly notes: readonly string[] } {
  const inScope = unreadable.filter(({ kind, namespace }) => !kind.namespaced || namespace !== undefined);
  const blocked = (kind: Kind): Unreadable | undefined =>
    inScope.find((each) => resourceOf(each.kind) === resourceOf(kind) && resourceOf(kind) !== "namespaces");
  for (const kind of applied) {
    const why = blocked(kind);
    if (why !== undefined) throw unreadableError(why, "it is to be applied", flags);
  }
  const notes: string[] = [];
  const able = controllers.filter((controller) => {
    const why = controller.watches.map(({ kind }) => blocked(kind)).find((each) => each !== undefined);
    if (why === undefined) return true;
    if (named) throw unreadableError(why, `${controller.name} reads them`, flags);
    notes.push(`${controller.name} is left out: ${why.kind.plural} could not be read`);
    return false;
  });
  return { controllers: able, notes };
}

function unreadableError({ kind, namespace, error }: Unreadable, why: string, { as }: DryRunFlags): UserError {
  const who = as === undefined ? "" : ` as user ${as}`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return new UserError(`not allowed to list ${resourceOf(kind)}${where}${who}, and ${why}: ${error.message}`, [
    "a dry-run reads the cluster's objects; `--from manifests` contacts no cluster",
  ]);
}

/** A sentence for everything that could not be read. The report itself says what is unknown about the namespaces `toDelete`. */
export function snapshotNotes(
  { unreadable, unknownOwners, held }: Snapshot,
  toDelete: readonly string[],
): readonly string[] {
  const notes = new Set<string>();
  const others = new Set<string>();
  for (const { kind, namespace } of unreadable) {
    const name = resourceOf(kind);
    if (name === "pods" && namespace === undefined) {
      notes.add("pods of other namespaces could not be read; nodes may have less room than shown");
    } else if (name.endsWith("admissionregistration.k8s.io")) {
      notes.add("webhooks and admission policies could not be read; they may reject or change what is shown here");
    } else if (consequences[name] !== undefined) notes.add(consequences[name]);
    else others.add(name);
  }
  for (const { owner, why } of unknownOwners) {
    notes.add(`owner ${owner.kind} ${owner.name} could not be read (${why}); assuming it exists`);
  }
  for (const [name, why] of held) {
    if (!toDelete.includes(name)) notes.add(`cannot tell whether Namespace ${name} is deleted: ${why}`);
  }
  if (others.size > 0) notes.add(`not read: ${listed([...others].sort())}`);
  return [...notes];
}

const namedKinds = 5;

function listed(names: readonly string[]): string {
  if (names.length <= namedKinds + 1) return names.join(", ");
  return `${names.slice(0, namedKinds).join(", ")} and ${names.length - namedKinds} other kinds`;
}
