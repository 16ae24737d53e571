import { type ChangedNodes, changedNodes } from "../api/changed-nodes.ts";
import { fieldChanges, type FieldChange } from "../api/field-changes.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { KindName } from "./names.ts";
import { maskChanges } from "./mask.ts";

/** The field manager, or how to find it out from the changed nodes, which is undefined where a state is not known. */
type FieldManager = string | undefined | ((changed: ChangedNodes | undefined) => string | undefined);

/**
 * What changed in a delta and which field manager changed it. Both are computed when one of them is first read, and kept in place of the
 * objects, which may be large. These are private: views see them through this class, where secrets are masked.
 */
export class DeltaDetail {
  /** The object was not known before. */
  readonly isNew: boolean;
  /** The uid of the object's controller, by its owner references. */
  readonly owner: string | undefined;
  /** The labels of the object as the delta shows it or, if it is gone, of its last state. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** A step of a deletion: it begins, or its grace period has changed. */
  readonly deletionGoesOn: boolean;
  /** The grace period of its deletion is over with this delta. */
  readonly endsGracePeriod: boolean;
  readonly #of: KindName;
  #before: StoredObject | undefined;
  #after: StoredObject | undefined;
  #changes: readonly FieldChange[] | undefined;
  #writer: string | undefined;
  #findWriter: Exclude<FieldManager, string | undefined> | undefined;

  /**
   * `before` is undefined for an object not known before, `after` for one whose last state is not known. The writer may be a
   * function, called at most once.
   */
  constructor(of: KindName, before: StoredObject | undefined, after: StoredObject | undefined, writer: FieldManager) {
    this.isNew = before === undefined;
    const object = after ?? before;
    this.owner = object === undefined ? undefined : controllerOf(object)?.uid;
    this.labels = object?.metadata.labels;
    this.#of = of;
    if (typeof writer === "function") this.#findWriter = writer;
    else this.#writer = writer;
    // Without two states nothing has to be computed, and no object kept alive.
    if (before === undefined || after === undefined) {
      this.#changes = [];
      this.deletionGoesOn = this.endsGracePeriod = false;
      return;
    }
    this.#before = before;
    this.#after = after;
    // Computed here, since the linker asks for every deletion, and the changes take a hundred times as long.
    const [was, is] = [before.metadata, after.metadata];
    const hasOtherGrace = was.deletionGracePeriodSeconds !== is.deletionGracePeriodSeconds;
    this.deletionGoesOn = hasOtherGrace || was.deletionTimestamp !== is.deletionTimestamp;
    this.endsGracePeriod = hasOtherGrace && is.deletionGracePeriodSeconds === 0;
  }

  /** The field manager that made the change, as far as managedFields show it; undefined where they do not. */
  get writer(): string | undefined {
    if (this.#findWriter !== undefined) this.#compare();
    return this.#writer;
  }

  /** The changed fields; none for an object that was not known before, or is gone. */
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
