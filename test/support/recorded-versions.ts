/** Versions of objects from a watch on a real API server, each with its writer. Compares them with what managedFields imply. */
import type { ManagedFieldsEntry, ObjectMeta, StoredObject } from "../../src/api/object.ts";
import { compactManagedFields, fieldManagerOfChange } from "../../src/api/field-manager.ts";

export interface RecordedVersion {
  readonly object: StoredObject & {
    readonly metadata: ObjectMeta & { readonly managedFields?: readonly ManagedFieldsEntry[] };
  };
  readonly by: string;
  /** Description of the write. */
  readonly how: string;
}

/** The real writer of a version and the inferred one. */
export interface Attribution extends Pick<RecordedVersion, "by" | "how"> {
  readonly inferred: string | undefined;
}

/** Compares each version with the previous one of the same object. */
export function attributions(versions: readonly RecordedVersion[]): readonly Attribution[] {
  const latest = new Map<string, RecordedVersion["object"]>();
  return versions.flatMap(({ object, by, how }) => {
    const before = latest.get(object.metadata.uid);
    latest.set(object.metadata.uid, object);
    if (before === undefined) return [];
    const inferred = fieldManagerOfChange({
      before: cached(before),
      managedBefore: compactManagedFields(before.metadata.managedFields ?? []),
      after: cached(object),
      managedAfter: object.metadata.managedFields ?? [],
    });
    return [{ by, how, inferred }];
  });
}

/** The object as a cache stores it, without managedFields. */
function cached({ metadata, ...rest }: RecordedVersion["object"]): StoredObject {
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
