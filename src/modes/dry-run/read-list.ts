/** Reads all objects of a kind at one revision. */
import { apiVersionOf, type Kind, pathOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { parseTime } from "../../api/time.ts";
import type { ApiRequest, Transport } from "../../api/transport.ts";
import { parseResponse } from "../../client/api/responses.ts";
import { getRequest, listQuery } from "../../client/api/requests.ts";

/** Which objects are read, and at which revision. */
export interface ReadListOptions {
  /** Unset: all namespaces. */
  readonly namespace?: string;
  /** Unset: the latest. */
  readonly revision?: string;
  /** Reads metadata only. */
  readonly metadataOnly?: boolean;
}

/** All pages of a list. */
export interface WholeList {
  /** With `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  readonly revision: string;
  /** The server's clock, in ms since 1970, to the second; undefined if it sent none. */
  readonly serverTime: number | undefined;
}

const pageSize = 500;
const partial = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

interface ListBody {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly StoredObject[] | null;
}

/**
 * Reads all pages at the revision of the first. @throws StatusError (403, 404, 410 for a revision that is no longer
 * kept), TransportError.
 */
export async function readList(transport: Transport, kind: Kind, options: ReadListOptions): Promise<WholeList> {
  const objects: StoredObject[] = [];
  const head = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  let [token, revision] = ["", options.revision ?? ""];
  let serverTime: number | undefined;
  do {
    const page = await readPage(transport, kind, options, token);
    serverTime ??= page.serverTime;
    for (const item of page.body.items ?? []) objects.push({ ...item, ...head });
    // Further pages have the revision of the first.
    if (revision === "") revision = page.body.metadata?.resourceVersion ?? "";
    token = page.body.metadata?.continue ?? "";
  } while (token !== "");
  return { objects, revision, serverTime };
}

async function readPage(
  transport: Transport,
  kind: Kind,
  { namespace, revision, metadataOnly }: ReadListOptions,
  token: string,
): Promise<{ readonly body: ListBody; readonly serverTime: number | undefined }> {
  const first = token === "";
  const query = listQuery({
    limit: pageSize,
    ...(!first && { continueToken: token }),
    ...(first && revision !== undefined && { resourceVersion: revision, resourceVersionMatch: "Exact" }),
  });
  const request = getRequest(pathOf(kind, { ...(namespace !== undefined && { namespace }) }), query, undefined);
  const listRequest: ApiRequest =
    metadataOnly === true ? { ...request, headers: { ...request.headers, accept: partial } } : request;
  const response = await transport.send(listRequest);
  const date = response.header("date");
  const { value } = await parseResponse(response);
  return { body: value as ListBody, serverTime: date === undefined ? undefined : parseTime(date) };
}

/**
 * One object, or one of its subresources; undefined if it does not exist. @throws StatusError other than 404,
 * TransportError.
 */
export async function readObject(
  transport: Transport,
  kind: Kind,
  at: { readonly namespace: string; readonly name: string; readonly subresource?: string },
): Promise<StoredObject | undefined> {
  const response = await transport.send(getRequest(pathOf(kind, at), [], undefined));
  if (response.status === 404) {
    response.body.cancel();
    return undefined;
  }
  const { value } = await parseResponse(response);
  return { ...(value as StoredObject), apiVersion: apiVersionOf(kind), kind: kind.kind };
}
