/** Headers that request metadata only. Source: apiserver v0.36 endpoints/handlers/negotiation. */
const asMetadata = (kind: string): Readonly<Record<string, string>> => ({
  accept: `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`,
});

/**
 * For the metadata of an object, or of the objects of a watch. A server without support for it returns whole objects.
 */
export const acceptMetadata: Readonly<Record<string, string>> = asMetadata("PartialObjectMetadata");
/** For a list of metadata. */
export const acceptMetadataList: Readonly<Record<string, string>> = asMetadata("PartialObjectMetadataList");
