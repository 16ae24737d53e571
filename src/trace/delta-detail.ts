import { fieldChanges, type FieldChange } from "../api/field-changes.ts";
import type { StoredObject } from "../api/object.ts";
import type { KindName } from "./events.ts";
import { maskChanges } from "./mask.ts";

/**
 * What changed in a delta and who did it. Both are worked out when first asked for, and kept. The objects themselves are
 * private: a view sees them through here, where secrets are masked.
 */
export class DeltaDetail {
  readonly #of: KindName;
  #before: StoredObject | undefined;
  #after: StoredObject | undefined;
  #changes: readonly FieldChange[] | undefined;
  /** The field manager that made the change, as far as managedFields can tell; undefined where they cannot. */
  readonly writer: string | undefined;

  /** `before` is undefined for an object not known before, `after` for one whose last state is not known. */
  constructor(
    of: KindName,
    before: StoredObject | undefined,
    after: StoredObject | undefined,
    writer: string | undefined,
  ) {
    this.#of = of;
    this.#before = before;
    this.#after = after;
    this.writer = writer;
  }

  /** The changed fields; none for an object that was not known before, or is gone. */
  get changes(): readonly FieldChange[] {
    if (this.#changes === undefined) {
      const [before, after] = [this.#before, this.#after];
      this.#changes =
        before === undefined || after === undefined ? [] : maskChanges(this.#of, fieldChanges(before, after));
      this.#before = undefined;
      this.#after = undefined;
    }
    return this.#changes;
  }

  toJSON(): unknown {
    return { changes: this.changes, ...(this.writer !== undefined && { writer: this.writer }) };
  }
}
