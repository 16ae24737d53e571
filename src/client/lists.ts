/** Lists and watches of one kind. */
import { pathOf, type Kind } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import type { ApiRequest } from "../api/transport.ts";
import { readAnswer } from "./answers.ts";
import type { ListerWatcher, ListOptions, ListPage, Selectors } from "./lister-watcher.ts";
import { getRequest, listQuery, watchQuery, type Sender } from "./requests.ts";
import { watchStream } from "./watch-stream.ts";

interface ListAnswer<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

/** One page of a list. */
export async function listPage<T extends StoredObject>(sender: Sender, request: ApiRequest): Promise<ListPage<T>> {
  const { value, bytes } = await readAnswer(await sender.transport.send(request));
  const list = value as ListAnswer<T>;
  return {
    items: list.items ?? [],
    resourceVersion: list.metadata?.resourceVersion ?? "",
    continueToken: list.metadata?.continue ?? "",
    bytes,
  };
}

/** Both selectors have to match. */
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

/** Lists and watches a kind in a scope, for a Reflector. */
export function createListerWatcher<T extends StoredObject>(
  sender: Sender,
  kind: Kind<T>,
  scope: Selectors & { readonly namespace?: string },
): ListerWatcher<T> {
  const path = pathOf(kind, { ...(scope.namespace !== undefined && { namespace: scope.namespace }) });
  return {
    kind,
    list: (options: ListOptions, signal) =>
      listPage<T>(sender, getRequest(path, listQuery(within(scope, options)), signal)),
    async watch(options, signal) {
      const request = getRequest(path, watchQuery(within(scope, options)), signal);
      const response = await sender.transport.send(request);
      // Throws: an answer that is no 200 is a refusal.
      if (response.status !== 200) await readAnswer(response);
      return watchStream<T>(response.body);
    },
  };
}
