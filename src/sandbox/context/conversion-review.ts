/**
 * ConversionReviews: requests to webhooks that convert custom resources, and checks of their responses.
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/conversion/webhook_converter.go.
 */
import { readJson } from "../meta/json.ts";
import { at, copyOf, isFields, listIn, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { annotationErrors, labelErrors } from "../validation/metadata.ts";

/** Objects to be converted. */
export interface ConversionRequest {
  readonly uid: string;
  /** The versions of ConversionReview that the webhook accepts, in order of preference. */
  readonly versions: readonly string[];
  readonly desired: string;
  /** All of one kind, none at the desired version. */
  readonly objects: readonly ApiObject[];
}

/** A review ready to be sent. */
export interface ConversionReview {
  readonly request: ConversionRequest;
  readonly version: "v1" | "v1beta1";
  readonly body: string;
}

/** Why objects could not be converted; follows `conversion webhook for KIND `. */
export class ConversionProblem extends Error {
  override readonly name = "ConversionProblem";
}

/** @throws ConversionProblem if the webhook accepts no known version of the review. */
export function conversionReview(request: ConversionRequest): ConversionReview {
  const { uid, versions, desired, objects } = request;
  const version = versions.find((each) => each === "v1" || each === "v1beta1");
  if (version === undefined) throw new ConversionProblem("failed: no supported conversion review versions");
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: desired, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  return { request, version, body: `${JSON.stringify(review)}\n` };
}

/** The converted objects in a response, with immutable metadata restored. @throws ConversionProblem */
export function convertedIn(bytes: Uint8Array, review: ConversionReview): ApiObject[] {
  const { objects, desired } = review.request;
  const converted = objectsIn(bytes, review);
  if (converted.length !== objects.length)
    throw new ConversionProblem(`returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((original, index) => checked(original, { json: converted[index], desired }));
}

const failed = (why: string): ConversionProblem => new ConversionProblem(`failed: ${why}`);

function objectsIn(bytes: Uint8Array, { request, version }: ConversionReview): readonly unknown[] {
  const start = new TextDecoder().decode(bytes.subarray(0, 64));
  const noKind = "couldn't get version/kind; json parse error";
  const type =
    'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  if (!/^\s*\{/.test(start)) throw failed(`${noKind}: json: cannot unmarshal string into ${type}`);
  let value: unknown;
  try {
    ({ value } = readJson(bytes, (problem) => `${noKind}: ${problem}`));
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error));
  }
  const [kind, apiVersion, response] = ["kind", "apiVersion", "response"].map((key) => at(value, key));
  const [expected, got] = [`apiextensions.k8s.io/${version}`, textOf(apiVersion)];
  if (textOf(kind) !== "ConversionReview" || got !== expected) {
    if (version === "v1")
      throw failed(`expected webhook response of ${expected}, Kind=ConversionReview, got ${got}, Kind=${textOf(kind)}`);
  }
  if (!isFields(response)) throw failed("no response provided");
  const uid = textOf(response["uid"]);
  if (version === "v1" && uid !== request.uid)
    throw failed(`expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}`);
  const result = isFields(response["result"]) ? response["result"] : {};
  const [status, message] = [textOf(result["status"]), textOf(result["message"])];
  if (status !== "Success")
    throw failed(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
  return listIn(response["convertedObjects"]);
}

interface Converted {
  readonly json: unknown;
  readonly desired: string;
}

function checked(original: ApiObject, { json, desired }: Converted): ApiObject {
  const object: Fields = isFields(json) ? json : {};
  const [version, kind] = [textOf(object["apiVersion"]), textOf(object["kind"])];
  const invalid = (why: string): ConversionProblem =>
    new ConversionProblem(`returned invalid object at index 0: ${why}`);
  if (version !== desired) throw invalid(`invalid groupVersion (expected ${desired}, received ${version})`);
  if (kind !== original.kind) throw invalid(`invalid kind (expected ${original.kind}, received ${kind})`);
  const metadata = isFields(object["metadata"]) ? object["metadata"] : {};
  for (const [field, shown] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [before, after] = [textOf(original.metadata[field]), textOf(metadata[field])];
    if (before !== after)
      throw new ConversionProblem(`returned invalid object: must have the same ${shown}: ${before} != ${after}`);
  }
  return { ...object, kind, apiVersion: desired, metadata: restoredMetadata(original, object) };
}

/** The metadata of the sent object: a webhook may change only labels and annotations. */
function restoredMetadata({ metadata }: ApiObject, converted: Fields): ApiObject["metadata"] {
  const invalid = (why: string): ConversionProblem => new ConversionProblem(`returned invalid metadata: ${why}`);
  const theirs = converted["metadata"];
  if (theirs === undefined) throw invalid("missing metadata in converted object");
  if (!isFields(theirs)) throw invalid(`invalid metadata of type ${goTypeOf(theirs)} in converted object`);
  const restored = copyOf(metadata);
  for (const key of ["labels", "annotations"] as const) {
    const texts = theirs[key];
    delete restored[key];
    if (texts === undefined || texts === null) continue;
    if (!isFields(texts)) throw invalid(`invalid metadata.${key} of type ${goTypeOf(texts)} in converted object`);
    for (const [name, text] of Object.entries(texts)) {
      if (typeof text !== "string")
        throw invalid(`metadata.${key}[${name}] must be a string, but is ${goTypeOf(text)} in converted object`);
    }
    const errors =
      key === "labels" ? labelErrors(texts, "metadata.labels") : annotationErrors(texts, "metadata.annotation");
    const problems = errors.map(({ field, message }) => `${field}: ${message}`);
    if (problems.length > 0) throw invalid(problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`);
    // All values are strings.
    restored[key] = texts as Record<string, string>;
  }
  return restored;
}

/** The Go type of untyped JSON. */
function goTypeOf(json: unknown): string {
  if (Array.isArray(json)) return "[]interface {}";
  if (isFields(json)) return "map[string]interface {}";
  if (typeof json === "number") return Number.isInteger(json) ? "int64" : "float64";
  return typeof json === "boolean" ? "bool" : typeof json === "string" ? "string" : "<nil>";
}
