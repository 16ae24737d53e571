import { type ChangedNodes, changedNodes } from "../api/changed-nodes.ts";
import { fieldChanges, type FieldChange } from "../api/field-changes.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { KindName } from "./names.ts";
import { maskChanges } from "./mask.ts";

/** The field manager, or a function that finds it from the changed nodes; these are undefined if one of the states is unknown. */
type FieldManager = string | undefined | ((changed: ChangedNodes | undefined) => string | undefined);

/**
 * The changes of a delta and the field manager that made them. Both are computed when one of them is first read, and then replace the
 * objects, which may be large. The objects are private, so that views see changes only with secrets masked.
 */
export class DeltaDetail {
  /** Whether the object was unknown before. */
  readonly isNew: boolean;
  /** The uid of the object's controlling owner. */
  readonly owner: string | undefined;
  /** The labels of the object, or of its last state if it was deleted. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Whether deletionTimestamp or deletionGracePeriodSeconds changed. */
  readonly advancesDeletion: boolean;
  /** Whether deletionGracePeriodSeconds became 0. */
  readonly endsGracePeriod: boolean;
  readonly #of: KindName;
  #before: StoredObject | undefined;
  #after: StoredObject | undefined;
  #changes: readonly FieldChange[] | undefined;
  #writer: string | undefined;
  #findWriter: Exclude<FieldManager, string | undefined> | undefined;

  /**
   * `before` is undefined if the object was unknown before, `after` if its final state is unknown. If `writer` is a function, it is called
   * at most once.
   */
  constructor(of: KindName, before: StoredObject | undefined, after: StoredObject | undefined, writer: FieldManager) {
    this.isNew = before === undefined;
    const object = after ?? before;
    this.owner = object === undefined ? undefined : controllerOf(object)?.uid;
    this.labels = object?.metadata.labels;
    this.#of = of;
    if (typeof writer === "function") this.#findWriter = writer;
    else this.#writer = writer;
    // Without two states there is nothing to compute, and no need to keep an object alive.
    if (before === undefined || after === undefined) {
      this.#changes = [];
      this.advancesDeletion = this.endsGracePeriod = false;
      return;
    }
    this.#before = before;
    this.#after = after;
    // Computed here because the linker needs it for every deletion, and computing all changes takes a hundred times as long.
    const [was, is] = [before.metadata, after.metadata];
    const hasOtherGrace = was.deletionGracePeriodSeconds !== is.deletionGracePeriodSeconds;
    this.advancesDeletion = hasOtherGrace || was.deletionTimestamp !== is.deletionTimestamp;
    this.endsGracePeriod = hasOtherGrace && is.deletionGracePeriodSeconds === 0;
  }

  /** The field manager that made the change; undefined if managedFields do not show it. */
  get writer(): string | undefined {
    if (this.#findWriter !== undefined) this.#compare();
    return this.#writer;
  }

  /** The changed fields; empty unless both states are known. */
  get changes(): readonly FieldChange[] {
    if (this.#changes === undefined) this.#compare();
    return this.#changes ?? [];
  }

  #compare(): void {
    const [before, after] = [this.#before, this.#after];
    const changed = before === undefined || after === undefined ? undefined : changedNodes(before, after);
    if (this.#findWriter !== undefined) this.#writer = this.#findWriter(changed);
    this.#findWriter = undefined;
    if (before !== undefined && after !== undefined)
      this.#changes = maskChanges(this.#of, fieldChanges(before, after, changed));
    this.#before = undefined;
    this.#after = undefined;
  }

  toJSON(): unknown {
    return { changes: this.changes, ...(this.writer !== undefined && { writer: this.writer }) };
  }
}
