/** Custom resources that a webhook converts between versions. */
import { apply, type Case, del, get, patch, post, put, settle, type Step, type Table, watching } from "../case.ts";
import { isObject, type Json } from "../names.ts";
import { always, type WebhookResponse, type Webhook } from "../webhooks.ts";
import { established, group, specOf, twoVersions, widgets, widgetsV2 } from "./definition-steps.ts";
import { applying, constraints, mutating, validating } from "./policy-steps.ts";

/** Strings and numbers as text; empty for anything else. */
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** `{ host: "web", port: 80 }` in v1 corresponds to `{ address: "web:80" }` in v2. */
function converted(object: Json, apiVersion: string): Json {
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const { host, port, address, filled: _filled, ...rest } = spec;
  if (apiVersion.endsWith("/v2")) {
    const joined = host === undefined ? {} : { address: `${textOf(host)}:${textOf(port)}` };
    return { ...object, apiVersion, spec: { ...rest, ...joined } };
  }
  const [name, number] = typeof address === "string" ? address.split(":") : [];
  const split = name === undefined ? {} : { host: name, ...(number === "" ? {} : { port: Number(number) }) };
  return { ...object, apiVersion, spec: { ...rest, ...split } };
}

type Change = (objects: readonly Json[]) => readonly unknown[];

const reviewResponse = (request: Json, review: Json, response: Json): WebhookResponse => ({
  json: { kind: review["kind"], apiVersion: review["apiVersion"], response: { uid: request["uid"], ...response } },
});

/** Converts the objects, then applies `change` to the result. */
const converting =
  (change: Change = (objects) => objects, more: Json = {}): Webhook =>
  (request, review) => {
    const { objects, desiredAPIVersion } = request;
    const list = Array.isArray(objects) ? (objects as Json[]) : [];
    const all = list.map((object) => converted(object, String(desiredAPIVersion)));
    return reviewResponse(request, review, { result: { status: "Success" }, convertedObjects: change(all), ...more });
  };

const spec = (webhook: Json = {}): Json => ({
  conversion: {
    strategy: "Webhook",
    webhook: {
      clientConfig: { url: "{hooks}/convert", caBundle: "{ca}" },
      conversionReviewVersions: ["v1", "v1beta1"],
      ...webhook,
    },
  },
});

const one = { host: { type: "string" }, port: { type: "integer" }, kept: { type: "string" } };
const two = {
  address: { type: "string", maxLength: 10 },
  kept: { type: "string" },
  filled: { type: "string", default: "v2" },
};
const versions = twoVersions(specOf(one), specOf(two), [
  { subresources: { status: {} } },
  {
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Address", type: "string", jsonPath: ".spec.address" }],
  },
]);

interface Scene {
  readonly convert?: Webhook;
  readonly webhook?: Json;
  readonly steps: readonly Step[];
}

const scene = (name: string, { convert = converting(), webhook, steps }: Scene): Case => ({
  name,
  hooks: { convert },
  steps: [...established({ versions, spec: spec(webhook) }), settle, ...steps],
});

const v1 = (name: string, more: Json = { host: "web", port: 80 }): Json => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  spec: more,
});
const v2 = (name: string, more: Json = { address: "web:80" }): Json => ({
  apiVersion: `${group}/v2`,
  kind: "Widget",
  metadata: { name },
  spec: more,
});

/** A case in which clients of both versions read an object for which the webhook responds like this. */
const broken = (name: string, convert: Webhook, webhook?: Json): Case =>
  scene(name, {
    convert,
    ...(webhook === undefined ? {} : { webhook }),
    steps: [post(widgets, v1("a")), get(`${widgetsV2}/a`), get(`${widgets}/a`)],
  });

const first = (change: (object: Json) => unknown): Webhook => converting((objects) => objects.map(change));
const withMetadata = (change: (metadata: Json) => Json): Webhook =>
  first((object) => ({ ...object, metadata: change(isObject(object["metadata"]) ? object["metadata"] : {}) }));

/** Fails to convert to v2, which is not stored, and converts to the storage version. */
const onlyBack: Webhook = (request, review) =>
  String(request["desiredAPIVersion"]).endsWith("/v2")
    ? reviewResponse(request, review, { result: { status: "Failed", message: "cannot do that" } })
    : converting()(request, review);

/** Match constraints for v2 of widgets; requests of any version match. */
const ofV2 = (operations: readonly string[]): Json => ({
  matchConstraints: constraints({
    resourceRules: [{ operations, apiGroups: [group], apiVersions: ["v2"], resources: ["widgets"] }],
  }),
});
const writes = ofV2(["CREATE", "UPDATE"]);
const judging = (expression: string): Json => ({ validations: [{ expression }] });

/** Policies without parameters: the real server looks for new parameter kinds only twice a minute. */
const policies: readonly Case[] = [
  scene("a policy for the other version", {
    steps: [
      ...validating({ ...writes, ...judging("object.spec.address != 'bad:80' && oldObject == null") }),
      post(widgets, v1("a", { host: "bad", port: 80 })),
      post(widgets, v1("a")),
      patch("merge", `${widgets}/a`, { spec: { port: 81 } }),
    ],
  }),
  scene("a policy for deletions with the other version", {
    steps: [
      post(widgets, v1("a")),
      post(widgets, v1("b", { host: "db", port: 80 })),
      ...validating({ ...ofV2(["DELETE"]), ...judging("oldObject.spec.address == 'db:80'") }),
      del(`${widgets}/a`),
      del(`${widgets}/b`),
    ],
  }),
  scene("a validating policy for objects that cannot be converted", {
    convert: onlyBack,
    steps: [...validating({ ...writes, ...judging("true") }), post(widgets, v1("a"))],
  }),
  {
    ...scene("a mutating policy for the other version", {
      steps: [
        ...mutating({ ...writes, ...applying("Object{spec: Object.spec{address: object.spec.address + '1'}}") }),
        post(widgets, v1("a")),
        post(widgetsV2, v2("b")),
      ],
    }),
    differs:
      "the real server learns the schemas of kinds that come later after some seconds; test/sandbox/conversion-webhooks.test.ts",
  },
  scene("a mutating policy for objects that cannot be converted", {
    convert: onlyBack,
    steps: [...mutating({ ...writes, ...applying("Object{spec: Object.spec{kept: 'k'}}") }), post(widgets, v1("a"))],
  }),
];

export const conversionWebhookCases: Table = {
  name: "conversion-webhooks",
  sideBySide: true,
  cases: [
    scene("a create with the version that is not stored", {
      steps: [post(widgetsV2, v2("a")), get(`${widgetsV2}/a`), get(`${widgets}/a`)],
    }),
    scene("a create with the stored version, read with the other one", {
      steps: [post(widgets, v1("a")), get(`${widgetsV2}/a`), get(`${widgets}/a`)],
    }),
    scene("a create that is invalid in its own version", {
      steps: [post(widgetsV2, v2("a", { address: "far-too-long:80" }))],
    }),
    scene("updates with the version that is not stored", {
      steps: [
        post(widgetsV2, v2("a")),
        put(`${widgetsV2}/a`, {
          ...v2("a", { address: "db:1", kept: "k" }),
          metadata: { name: "a", resourceVersion: "{4.metadata.resourceVersion}" },
        }),
        patch("merge", `${widgetsV2}/a`, { spec: { address: "db:2" } }),
        patch("json", `${widgetsV2}/a`, [{ op: "add", path: "/metadata/labels", value: { a: "b" } }]),
        patch("merge", `${widgetsV2}/a`, { spec: { address: "db:2" } }),
        get(`${widgets}/a`),
      ],
    }),
    scene("a status with the version that is not stored", {
      steps: [
        post(widgetsV2, v2("a")),
        patch("merge", `${widgetsV2}/a/status`, { status: {}, spec: { address: "db:2" } }),
        get(`${widgets}/a`),
      ],
    }),
    scene("an apply with the version that is not stored", {
      steps: [
        apply(`${widgetsV2}/a`, "me", v2("a")),
        get(`${widgets}/a`),
        apply(`${widgetsV2}/a`, "me", v2("a", { address: "web:81" })),
      ],
    }),
    scene("lists with both versions", {
      steps: [post(widgets, v1("a")), post(widgetsV2, v2("b")), settle, get(widgets), get(widgetsV2)],
    }),
    scene("a table with the version that is not stored", {
      steps: [
        post(widgets, v1("a")),
        settle,
        { ...get(widgetsV2), accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
        { ...get(`${widgetsV2}/a`), accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
      ],
    }),
    scene("a watch with the version that is not stored", {
      steps: [
        post(widgets, v1("a")),
        patch("merge", `${widgets}/a`, { spec: { port: 81 } }),
        del(`${widgets}/a`),
        settle,
        watching(widgetsV2, 3, "resourceVersion={0.metadata.resourceVersion}"),
      ],
    }),
    scene("deletions with the version that is not stored", {
      steps: [
        post(widgets, v1("a")),
        post(widgets, v1("b")),
        settle,
        del(`${widgetsV2}/a`),
        get(`${widgetsV2}/a`),
        del(widgetsV2),
      ],
    }),
    scene("the review v1beta1", {
      webhook: { conversionReviewVersions: ["v1beta1"] },
      steps: [post(widgets, v1("a")), get(`${widgetsV2}/a`)],
    }),
    broken(
      "labels and annotations can be changed, other metadata cannot",
      withMetadata((metadata) => ({
        ...metadata,
        labels: { new: "label" },
        annotations: { new: "annotation" },
        finalizers: ["example.com/new"],
        generation: 7,
      })),
    ),
    broken("an error with a message", (request, review) =>
      reviewResponse(request, review, { result: { status: "Failed", message: "cannot do that" } }),
    ),
    broken("an error without a message", (request, review) =>
      reviewResponse(request, review, { result: { status: "Failed" } }),
    ),
    broken("another uid of the response", converting(undefined, { uid: "other" })),
    broken("no response", (_request, review) => ({ json: { kind: review["kind"], apiVersion: review["apiVersion"] } })),
    broken(
      "too few objects",
      converting(() => []),
    ),
    broken(
      "another version",
      first((object) => ({ ...object, apiVersion: `${String(object["apiVersion"]).split("/")[0]}/v1` })),
    ),
    broken(
      "another kind",
      first((object) => ({ ...object, kind: "Gadget" })),
    ),
    broken(
      "another name",
      withMetadata((metadata) => ({ ...metadata, name: "other" })),
    ),
    broken(
      "another uid",
      withMetadata((metadata) => ({ ...metadata, uid: "other" })),
    ),
    broken(
      "a wrong label",
      withMetadata((metadata) => ({ ...metadata, labels: { "not a label": "x" } })),
    ),
    broken(
      "a label that is not a string",
      withMetadata((metadata) => ({ ...metadata, labels: { a: 1 } })),
    ),
    broken(
      "missing metadata",
      first(({ metadata: _metadata, ...object }) => object),
    ),
    broken("an error of the webhook's server", always({ status: 500, text: "oops" })),
    broken("a response that is not JSON", always({ text: "converted" })),
    broken("a closed connection", always({ instead: "close" })),
    broken("a port without a listener", converting(), {
      clientConfig: { url: "https://127.0.0.1:9/x", caBundle: "{ca}" },
    }),
    ...policies,
  ],
};
