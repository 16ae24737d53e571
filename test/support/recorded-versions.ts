/** Versions of objects as a real API server's watch showed them, each with who made it, held against what managedFields tell. */
import type { ManagedFieldsEntry, ObjectMeta, StoredObject } from "../../src/api/object.ts";
import { compactManagedFields, fieldManagerOfChange } from "../../src/api/field-manager.ts";

export interface RecordedVersion {
  readonly object: StoredObject & {
    readonly metadata: ObjectMeta & { readonly managedFields?: readonly ManagedFieldsEntry[] };
  };
  readonly by: string;
  /** What was done, in words. */
  readonly how: string;
}

/** Who made a version, and who is said to have made it. */
export interface Attribution extends Pick<RecordedVersion, "by" | "how"> {
  readonly told: string | undefined;
}

/** Each version against the one of the same object before it. */
export function attributions(versions: readonly RecordedVersion[]): readonly Attribution[] {
  const latest = new Map<string, RecordedVersion["object"]>();
  return versions.flatMap(({ object, by, how }) => {
    const before = latest.get(object.metadata.uid);
    latest.set(object.metadata.uid, object);
    if (before === undefined) return [];
    const told = fieldManagerOfChange({
      before: cached(before),
      managedBefore: compactManagedFields(before.metadata.managedFields ?? []),
      after: cached(object),
      managedAfter: object.metadata.managedFields ?? [],
    });
    return [{ by, how, told }];
  });
}

/** As a cache holds it. */
function cached({ metadata, ...rest }: RecordedVersion["object"]): StoredObject {
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
