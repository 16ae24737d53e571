/** Which class objects without one get. Source: kubernetes v1.36 pkg/volume/util/storageclass.go GetDefaultClass. */

/** The annotations that mark a StorageClass as the default: the value is `true`. */
export const defaultStorageClassMarks: readonly string[] = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** The relevant fields of a class. */
interface Class {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly creationTimestamp?: string | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** The class that one of the annotations marks; of several, the newest, and within one second the first by name. */
export function newestDefault<T extends Class>(classes: Iterable<T>, marks: readonly string[]): T | undefined {
  let newest: T | undefined;
  for (const one of classes) {
    if (!marks.some((mark) => one.metadata.annotations?.[mark] === "true")) continue;
    if (newest === undefined || isPreferred(one, newest)) newest = one;
  }
  return newest;
}

function isPreferred({ metadata: one }: Class, { metadata: other }: Class): boolean {
  const [at, otherAt] = [one.creationTimestamp ?? "", other.creationTimestamp ?? ""];
  return at === otherAt ? (one.name ?? "") < (other.name ?? "") : at > otherAt;
}
