/** What access modes say about nodes. */

/**
 * Whether a volume with these modes may be attached to only one node at a time. Source: kubernetes v1.36 pkg/volume/util/util.go
 * IsMultiAttachAllowed.
 */
export function isForOneNode(accessModes: readonly string[]): boolean {
  return accessModes.length > 0 && !accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}
