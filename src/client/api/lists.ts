/** Lists and watches of one kind. */
import { acceptMetadata, acceptMetadataList } from "../http/accept-metadata.ts";
import { pathOf, type Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { ApiBody, ApiRequest } from "../../api/transport.ts";
import { parseResponse } from "./responses.ts";
import type { ListerWatcher, ListOptions, ListPage, Selectors } from "./lister-watcher.ts";
import { parseListDroppingManagedFields } from "./managed-fields.ts";
import { accept, getRequest, listQuery, watchQuery, type RequestContext } from "./requests.ts";
import type { WatchScope } from "./verbs.ts";
import { watchStream } from "./watch-stream.ts";

interface ListBody<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

/** Options of `listPage`. */
export interface PageReading {
  readonly withoutManagedFields?: boolean;
  /**
   * Called with the token of the next page as soon as it is known, usually long before the rest of this page arrives.
   */
  readonly onContinue?: (token: string) => void;
}

/** Requests one page of a list. @throws StatusError, TransportError, or the signal's reason. */
export async function listPage<T extends StoredObject>(
  context: RequestContext,
  request: ApiRequest,
  { withoutManagedFields, onContinue }: PageReading = {},
): Promise<ListPage<T>> {
  const response = await context.transport.send(request);
  const watched =
    onContinue === undefined || response.status !== 200
      ? response
      : { ...response, body: reportingContinue(response.body, onContinue) };
  const { value, bytes } = await parseResponse(
    watched,
    withoutManagedFields === true ? parseListDroppingManagedFields : undefined,
  );
  const list = value as ListBody<T>;
  return {
    items: list.items ?? [],
    resourceVersion: list.metadata?.resourceVersion ?? "",
    continueToken: list.metadata?.continue ?? "",
    bytes,
  };
}

/** The start of a list as the API server writes it, with the continue token. */
const headOfList = /^\{"kind":"\w*","apiVersion":"[\w./]*","metadata":\{"resourceVersion":"\d*","continue":"([\w=-]+)"/;
const headLength = 1024;

function reportingContinue(body: ApiBody, onContinue: (token: string) => void): ApiBody {
  let first = true;
  return {
    async next() {
      const chunk = await body.next();
      if (first && chunk !== undefined) {
        first = false;
        const token = headOfList.exec(new TextDecoder().decode(chunk.subarray(0, headLength)))?.[1];
        if (token !== undefined) onContinue(token);
      }
      return chunk;
    },
    cancel: (reason) => body.cancel(reason),
  };
}

/** The conjunction of both selectors. */
function joined(scope: string | undefined, own: string | undefined): string | undefined {
  const parts = [scope, own].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? undefined : parts.join(",");
}

function within<O extends Selectors>(scope: Selectors, options: O): O {
  const labelSelector = joined(scope.labelSelector, options.labelSelector);
  const fieldSelector = joined(scope.fieldSelector, options.fieldSelector);
  return {
    ...options,
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

/** A page that has been requested. */
interface RequestedPage<T> {
  readonly page: Promise<ListPage<T>>;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
  /** Whether the caller awaits it, so that the next page may be requested. */
  wanted: boolean;
  /** The token of the next page, once known. */
  next: string | undefined;
}

/**
 * Lists and watches a kind in a scope, for a Reflector. It prefetches one page: while one page is read, the server already works on the
 * next.
 */
export function createListerWatcher<T extends StoredObject>(
  context: RequestContext,
  kind: Kind<T>,
  scope: WatchScope,
): ListerWatcher<T> {
  return listerWatcherAs<T>(context, kind, scope, { list: accept, watch: accept });
}

/** Like `createListerWatcher`, for metadata only. */
export function createMetadataListerWatcher(
  context: RequestContext,
  kind: Kind,
  scope: WatchScope,
): ListerWatcher<StoredObject> {
  return listerWatcherAs(context, kind, scope, { list: acceptMetadataList, watch: acceptMetadata });
}

type Headers = Readonly<Record<string, string>>;

function listerWatcherAs<T extends StoredObject>(
  context: RequestContext,
  kind: Kind<T>,
  scope: WatchScope,
  headers: { readonly list: Headers; readonly watch: Headers },
): ListerWatcher<T> {
  const path = pathOf(kind, { ...(scope.namespace !== undefined && { namespace: scope.namespace }) });
  let prefetched: RequestedPage<T> | undefined;
  const requestPage = (options: ListOptions, signal: AbortSignal, wanted: boolean): RequestedPage<T> => {
    const request = { ...getRequest(path, listQuery(within(scope, options)), { signal }), headers: headers.list };
    const page = listPage<T>(context, request, {
      withoutManagedFields: options.withoutManagedFields?.() === true,
      onContinue(token) {
        requested.next = token;
        if (requested.wanted) prefetch(requested);
      },
    });
    const requested: RequestedPage<T> = { page, options, signal, wanted, next: undefined };
    return requested;
  };
  const prefetch = ({ options, signal, next }: RequestedPage<T>): void => {
    if (next === undefined) return;
    prefetched = requestPage({ ...options, continueToken: next }, signal, false);
    // The failure is reported when the page is awaited.
    prefetched.page.catch(() => undefined);
  };
  return {
    kind,
    async list(options: ListOptions, signal) {
      const ready = prefetched;
      prefetched = undefined;
      if (ready === undefined || ready.options.continueToken !== options.continueToken || ready.signal !== signal) {
        return requestPage(options, signal, true).page;
      }
      ready.wanted = true;
      prefetch(ready);
      return ready.page;
    },
    async watch(options, signal) {
      const request = { ...getRequest(path, watchQuery(within(scope, options)), { signal }), headers: headers.watch };
      const response = await context.transport.send(request);
      // Throws: any status but 200 is a refusal.
      if (response.status !== 200) await parseResponse(response);
      return watchStream<T>(response.body, options);
    },
  };
}
