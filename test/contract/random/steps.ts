/** Random contract cases: the same seed generates the same requests. */
import type { Random } from "../../../src/platform/random.ts";
import { type Case, del, get, patch, patchTypes, post, put, type Step } from "../case.ts";
import { coreKinds } from "./core-kinds.ts";
import { diceOf, type Dice } from "./dice.ts";
import { names, type Body, type RandomKind, type RandomPatch } from "./kind.ts";
import { policyKinds } from "./policy-kinds.ts";
import { storageKinds } from "./storage-kinds.ts";
import { workloadKinds } from "./workload-kinds.ts";

export const randomKinds: readonly RandomKind[] = [...coreKinds, ...workloadKinds, ...policyKinds, ...storageKinds];

const nameIn = (kind: RandomKind, name: string): string => (kind.clusterWide === true ? `{ns}-${name}` : name);

function bodyOf(dice: Dice, kind: RandomKind, name: string): Body {
  const body = kind.body(dice, nameIn(kind, name));
  const labels: Record<string, string> = {};
  for (const key of dice.some(["x", "y"])) labels[key] = dice.one(["1", "2"]);
  if (kind.clusterWide === true) labels["of"] = "{ns}";
  return {
    ...body,
    metadata: {
      ...(body["metadata"] as Body),
      labels: dice.chance(0.02) ? { x: "not good" } : labels,
      finalizers: dice.maybe(0.12, () => [dice.one(["example.com/a", "example.com/b"])]),
      annotations: dice.maybe(0.1, () => ({ note: dice.one(["p", "q"]) })),
      ownerReferences: dice.maybe(0.06, () => [
        {
          apiVersion: "v1",
          kind: dice.one(["ConfigMap", ""]),
          name: "o",
          uid: "u",
          controller: dice.maybe(0.5, () => true),
        },
      ]),
    },
    // A field that exists in no type.
    ...(dice.chance(0.02) ? { nonsense: 1 } : {}),
  };
}

/** A placeholder for the resourceVersion in the response to an earlier step, which can be outdated by then. */
function version(dice: Dice, step: number): string {
  return `{${Math.max(0, step - 1 - dice.below(12))}.metadata.resourceVersion}`;
}

function patchOf(dice: Dice, kind: RandomKind): RandomPatch {
  const label = dice.one(["1", "2", null]);
  const own = kind.patches?.(dice) ?? [];
  if (own.length > 0 && dice.chance(0.5)) return dice.one(own);
  return dice.one<RandomPatch>([
    ["merge", { metadata: { labels: { x: label } } }],
    ["strategic", { metadata: { labels: { y: label }, annotations: { note: dice.one(["p", null]) } } }],
    ["merge", { metadata: { finalizers: dice.one([null, ["example.com/a"], ["example.com/a", "example.com/b"]]) } }],
    ["strategic", { metadata: { finalizers: ["example.com/b"] } }],
    ["strategic", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }],
    ["json", [{ op: dice.one(["add", "replace", "remove"]), path: "/metadata/labels/x", value: "1" }]],
    [
      "json",
      [
        { op: "test", path: "/metadata/labels/y", value: "1" },
        { op: "add", path: "/metadata/annotations", value: { n: "m" } },
      ],
    ],
    ["merge", {}],
    ["merge", { metadata: { name: "other" } }],
    ["merge", { spec: dice.one(["text", 1, null]) }],
    ["strategic", { nonsense: 1 }],
  ]);
}

function writeQuery(dice: Dice): string | undefined {
  const parts = [
    ...(dice.chance(0.08) ? [dice.chance(0.9) ? "dryRun=All" : "dryRun=None"] : []),
    ...(dice.chance(0.1) ? [`fieldValidation=${dice.one(["Strict", "Warn", "Ignore", "Loose"])}`] : []),
    ...(dice.chance(0.15) ? [`fieldManager=${dice.one(["one", "two"])}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join("&");
}

function deletionOf(dice: Dice, path: string, step: number): Step {
  // The grace periods are either 0 or longer than any run.
  const options: Body = {
    gracePeriodSeconds: dice.maybe(0.3, () => dice.one([0, 1000, 2000])),
    propagationPolicy: dice.maybe(0.3, () => dice.one(["Background", "Foreground", "Orphan"])),
    preconditions: dice.maybe(0.15, () => ({ resourceVersion: version(dice, step) })),
    dryRun: dice.maybe(0.05, () => ["All"]),
  };
  const empty = Object.values(options).every((value) => value === undefined);
  return del(path, empty ? undefined : options, dice.chance(0.06) ? "dryRun=All" : undefined);
}

const views: readonly string[] = [
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
];

const view: readonly string[] = [
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
];

function listQuery(dice: Dice, kind: RandomKind, step: number): string {
  const labels = [
    ...(kind.clusterWide === true ? ["of={ns}"] : []),
    ...(dice.chance(0.4) ? [dice.one(["x=1", "x!=1,y", "x in (1,2)", "!y", "x notin (1)", "x=not good"])] : []),
  ].join(",");
  const fields = dice.maybe(0.25, () =>
    dice.one(["metadata.name=a", "metadata.name!=a", ...(kind.fields ?? ["spec.x=1"])]),
  );
  const parts = [
    ...(labels === "" ? [] : [`labelSelector=${encodeURIComponent(labels)}`]),
    ...(fields === undefined ? [] : [`fieldSelector=${encodeURIComponent(fields)}`]),
    ...(dice.chance(0.3) ? [`limit=${1 + dice.below(3)}`] : []),
    ...(dice.chance(0.1) ? [`continue={${Math.max(0, step - 1)}.metadata.continue}`] : []),
  ];
  return parts.join("&");
}

/** A list, often followed by its next page. */
function listsOf(dice: Dice, kind: RandomKind, step: number): Step[] {
  const accept = dice.maybe(0.25, () => dice.one(views));
  const seen = (query: string): Step => ({ ...get(kind.path, query), ...(accept === undefined ? {} : { accept }) });
  const query = listQuery(dice, kind, step);
  if (!query.includes("limit=")) {
    // After a consistent list the watch cache of the server is up to date, so a list from the cache returns the same.
    return dice.chance(0.2) ? [seen(query), seen(`${query}&resourceVersion=0`)] : [seen(query)];
  }
  return dice.chance(0.5) ? [seen(query), seen(`${query}&continue={${step}.metadata.continue}`)] : [seen(query)];
}

function writeOf(dice: Dice, kind: RandomKind, name: string, step: number): Step {
  const object = `${kind.path}/${nameIn(kind, name)}`;
  const dices = dice.below(100);
  if (dices < 45) return post(kind.path, bodyOf(dice, kind, name), writeQuery(dice));
  if (dices < 60) {
    const body = bodyOf(dice, kind, name);
    const metadata = { ...(body["metadata"] as Body), resourceVersion: dice.maybe(0.5, () => version(dice, step)) };
    return put(object, { ...body, metadata }, writeQuery(dice));
  }
  const [type, body] = patchOf(dice, kind);
  if (dice.chance(0.02))
    return { ...patch(type, object, body), type: dice.one([...Object.values(patchTypes), "text/plain"]) };
  return patch(type, object, body, writeQuery(dice));
}

function stepsOf(dice: Dice, kind: RandomKind, step: number): Step[] {
  const name = dice.one(names);
  const object = `${kind.path}/${nameIn(kind, name)}`;
  const dices = dice.below(100);
  if (dices < 60) return [writeOf(dice, kind, name, step)];
  if (dices < 68) {
    if (kind.others !== undefined && dice.chance(0.5)) return [kind.others(dice, object, nameIn(kind, name))];
    if (kind.status === undefined) return [get(object)];
    return [
      patch(dice.one(["merge", "strategic"]), `${object}/status`, { status: kind.status(dice) }, writeQuery(dice)),
    ];
  }
  if (dices < 80) return [deletionOf(dice, object, step)];
  if (dices < 83) {
    const chosen = dice.one(["x=1", "y"]);
    const mine = kind.clusterWide === true ? `of={ns},${chosen}` : chosen;
    // Namespaces do not support deletecollection.
    if (kind.name === "namespaces") return [get(object)];
    return [del(kind.path, undefined, `labelSelector=${encodeURIComponent(mine)}`)];
  }
  if (dices < 90) {
    const accept = dice.maybe(0.3, () => dice.one(view));
    return [{ ...get(object), ...(accept === undefined ? {} : { accept }) }];
  }
  return listsOf(dice, kind, step);
}

/** A case of about `length` random requests, followed by reads of the final state of every kind. */
export function randomCase(
  random: Random,
  length: number,
  name: string,
  kinds: readonly RandomKind[] = randomKinds,
): Case {
  const dice = diceOf(random);
  const steps: Step[] = [post("/api/v1/namespaces", { metadata: { name: "{ns}-apart" } })];
  while (steps.length < length) steps.push(...stepsOf(dice, dice.one(kinds), steps.length));
  const final = kinds.map((kind) => get(kind.path, kind.clusterWide === true ? "labelSelector=of%3D{ns}" : undefined));
  return { name, steps: [...steps, ...final] };
}
