/** `namespaces/finalize`: removes finalizers from a namespace's spec. Source: kubernetes v1.36 pkg/registry/core/namespace/storage. */
import type { RequestScope } from "../context/server.ts";
import type { Steps } from "../meta/steps.ts";
import type { Entry } from "../storage/entry.ts";
import { update } from "./update.ts";

/** A regular update, except that the finalizers in the spec may change. @throws StatusError 404, 409, 422. */
export function* finalize(scope: RequestScope): Steps<{ status: number; entry: Entry }> {
  return { status: 200, entry: (yield* update(scope)).entry };
}
