/** Converts custom resources between versions by webhooks. */
import { randomUuid } from "../../platform/random.ts";
import type { ApiObject } from "../meta/object.ts";
import { refusal } from "../meta/refusal.ts";
import { waitFor, type Steps } from "../meta/steps.ts";
import type { ObjectForm } from "../registry/strategy/object-form.ts";
import { Entry } from "../storage/entry.ts";
import { WebhookError } from "../webhook/webhook-error.ts";
import { ConversionProblem, conversionReview, convertedIn } from "./conversion-review.ts";
import type { RequestScope, Server } from "./server.ts";

/** Objects of one kind, and the requested version. */
interface Wanted {
  /** The form of that version. */
  readonly form: ObjectForm;
  readonly objects: readonly ApiObject[];
  readonly apiVersion: string;
}

/** Converts objects to a version of their kind; one call converts all that have another. @throws StatusError 500 */
export async function convertedObjects(server: Server, { form, objects, apiVersion }: Wanted): Promise<ApiObject[]> {
  const { conversionWebhook: webhook } = form;
  const others = objects.filter((object) => object.apiVersion !== apiVersion);
  const [first] = others;
  if (first === undefined || webhook === undefined) return objects.map((object) => form.convert(object));
  const what = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`;
  const { webhooks, random } = server;
  if (webhooks === undefined) throw refusal(500, "", `${what} failed: this sandbox calls no webhooks`);
  try {
    const { versions, client } = webhook;
    const review = conversionReview({ uid: randomUuid(random), versions, desired: apiVersion, objects: others });
    const bytes = await webhooks.call({ config: client, body: review.body });
    const converted = new Map(convertedIn(bytes, review).map((object, index) => [others[index], object]));
    return objects.map((object) => form.received(converted.get(object) ?? object));
  } catch (error) {
    if (error instanceof ConversionProblem) throw refusal(500, "", `${what} ${error.message}`);
    if (error instanceof WebhookError) throw refusal(500, "", `${what} failed: ${error.message}`);
    throw error;
  }
}

/** An object and the requested version, with the form of that version. */
export interface WantedObject extends Omit<Wanted, "objects"> {
  readonly object: ApiObject;
}

/** Converts one object to a version of its kind. @throws StatusError 500 */
export function* convertedObject(server: Server, { object, ...wanted }: WantedObject): Steps<ApiObject> {
  const [converted = object] = yield* waitFor(convertedObjects(server, { ...wanted, objects: [object] }));
  return converted;
}

/** True for a resource whose objects are converted by a webhook. */
const isConverted = ({ served }: RequestScope): boolean => served.form?.conversionWebhook !== undefined;

/** Stored objects at the version of the request, each with its own revision. Waits only if a webhook converts. @throws StatusError 500 */
export function* servedEntries(scope: RequestScope, entries: readonly Entry[]): Steps<readonly Entry[]> {
  const { server, served } = scope;
  if (!isConverted(scope) || served.form === undefined) return entries;
  const { form, apiVersion } = served;
  if (entries.every(({ object }) => object.apiVersion === apiVersion)) return entries;
  const wanted = { form, objects: entries.map(({ object }) => object), apiVersion };
  const objects = yield* waitFor(convertedObjects(server, wanted));
  return entries.map((entry, index) => shownEntry(entry, objects[index] ?? entry.object));
}

/** An entry with its object at another version. */
function shownEntry({ revision, isDefaultedOnRead }: Entry, object: ApiObject): Entry {
  return new Entry({ ...object, metadata: { ...object.metadata } }, revision, isDefaultedOnRead);
}

/** The same for one object; undefined if there is none. */
export function* servedEntry(scope: RequestScope, entry: Entry | undefined): Steps<Entry | undefined> {
  if (entry === undefined || !isConverted(scope)) return entry;
  const [shown] = yield* servedEntries(scope, [entry]);
  return shown;
}

/** An object at its storage version, before it is stored. The object itself is not changed. @throws StatusError 500 */
export function* storableObject(scope: RequestScope, object: ApiObject): Steps<ApiObject> {
  const { form } = scope.served;
  const webhook = form?.conversionWebhook;
  if (form === undefined || webhook === undefined || object.apiVersion === webhook.storedVersion) return object;
  const stores = scope.server.registry.ofKind(webhook.storedVersion, object.kind)?.form ?? form;
  return yield* convertedObject(scope.server, { form: stores, object, apiVersion: webhook.storedVersion });
}

/** An object that a webhook must convert first. */
class NeedsConversion extends Error {
  override readonly name = "NeedsConversion";
  readonly key: string;
  readonly wanted: WantedObject;

  constructor(key: string, wanted: WantedObject) {
    super(`a webhook has to convert an object to ${wanted.apiVersion}`);
    this.key = key;
    this.wanted = wanted;
  }
}

/** The object at the requested version, in work that `withConversions` runs: aborts the work if a webhook must be called first. */
export function conversionOf({ conversions }: RequestScope, { form, object, apiVersion }: WantedObject): ApiObject {
  const key = `${apiVersion} ${JSON.stringify(object)}`;
  const known = conversions?.get(key);
  if (known !== undefined) return known;
  throw new NeedsConversion(key, { form, object, apiVersion });
}

/**
 * Runs synchronous work that converts objects with `conversionOf`. If a webhook must be called, the work is aborted and repeated with the
 * result, so it must be idempotent up to that point. For other kinds, it runs once.
 * @throws StatusError 500 if the webhook fails; errors of the work.
 */
export function* withConversions<T>(scope: RequestScope, work: (scope: RequestScope) => T): Steps<T> {
  if (!isConverted(scope)) return work(scope);
  const conversions = new Map<string, ApiObject>();
  for (;;) {
    try {
      return work({ ...scope, conversions });
    } catch (cause) {
      if (!(cause instanceof NeedsConversion)) throw cause;
      conversions.set(cause.key, yield* convertedObject(scope.server, cause.wanted));
    }
  }
}
