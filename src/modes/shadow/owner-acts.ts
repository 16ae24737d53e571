/** Attributes the owner's writes to the keys of our controllers. */
import { objectKey } from "../../api/key.ts";
import { controllerNamedBy, fieldManagerOf } from "../../api/own-field-manager.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import { isStatusOnly, type Observed } from "./acts.ts";
import type { KeyOf } from "./intention.ts";
import type { Applied } from "./owner-delta-gate.ts";
import type { ShadowOptions, ShadowOwner } from "./shadow-options.ts";

/** An applied change, with the writer from the delta event of the same object. */
export function observedOf(
  { of, key, before, object, deleted }: Applied,
  event: (DeltaEvent & EventHead) | undefined,
): Observed {
  const its = event?.of.kind === of.kind && event.key === key ? event : undefined;
  const after = deleted ? undefined : object;
  return {
    of,
    key,
    before,
    after,
    delta: its?.seq ?? 0,
    get writer() {
      return its?.detail.writer;
    },
  };
}

/** Who made a change, as far as its field manager shows. */
export interface Author {
  /** `owner`, or the field manager if it is none that the owner is known to use. `owner` also if no field manager is known, as for deletions. */
  readonly name: string;
  /** A user of kubectl, not the owner. Any other program may be the owner: distributions embed kube-controller-manager under names of their own. */
  readonly isUser: boolean;
}

/** The author of a change, if the owner writes under these names. */
export function authorOf({ writer }: Pick<Observed, "writer">, owners: readonly string[]): Author {
  if (writer === undefined || owners.includes(writer)) return { name: "owner", isUser: false };
  return { name: writer, isUser: writer.startsWith("kubectl") && controllerNamedBy(writer) === undefined };
}

/** The field managers that the controller's owner is known to use: that of its process, one for applies, and ours where it runs elsewhere. */
export function ownersManagers(
  controller: Pick<ControllerDefinition, "name" | "appliesAs">,
  { manager }: ShadowOwner,
): readonly string[] {
  return [manager, controller.appliesAs, fieldManagerOf(controller)].filter((each) => each !== undefined);
}

/** The key that a write by an owner belongs to: the owner of the written object, or the object itself for a status. Undefined if unknown. */
export function keyOfAct(
  controllers: readonly ControllerDefinition[],
  { of, key, before, after, writer }: Observed,
  ownerOf: ShadowOptions["ownerOf"],
): KeyOf | undefined {
  if (after === undefined || writer === undefined) return undefined;
  const owners = controllers.filter((each) => ownersManagers(each, ownerOf(each.name)).includes(writer));
  const reference = controllerOf(after);
  const above = owners.find(
    ({ for: kind, watches }) =>
      kind !== undefined &&
      kind.kind === reference?.kind &&
      watches.some((watch) => watch.owned === true && watch.kind.kind === of.kind),
  );
  const status = before !== undefined && before.metadata.generation === after.metadata.generation;
  const own = owners.find(({ for: kind }) => kind?.kind === of.kind && kind.group === of.group);
  if (status && own !== undefined) return { controller: own.name, key };
  // The status of an owned object is written by another controller in kube-controller-manager.
  if (above === undefined || reference === undefined || isStatusOnly({ before, after })) return undefined;
  return { controller: above.name, key: objectKey(after.metadata.namespace, reference.name) };
}
