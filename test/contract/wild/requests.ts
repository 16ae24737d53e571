/**
 * Cases with requests of every form to one kind: metadata, values of wrong types, patches, statuses, subresources, deletions and lists in
 * which something is wild. All of them are dry runs, so that each is applied to the same object.
 */
import type { Random } from "../../../src/platform/random.ts";
import { apply, del, get, patch, post, put, settle, type Case, type Step } from "../case.ts";
import { diceOf, type Dice } from "../random/dice.ts";
import { changedStruct, isJson, somethingOf, texts } from "./changes.ts";
import type { Example, Json } from "./example.ts";
import { wildMetadata } from "./metadata.ts";
import { placeIn, stranger, wildPatch } from "./patches.ts";
import { pathOf, type Wildness } from "./wild.ts";

/** The number of requests, and the subresources of the kind with their verbs. */
export interface Breadth extends Wildness {
  readonly subresources: ReadonlyMap<string, { readonly verbs: readonly string[] }>;
}

/** A kind, its object, and the dice. */
interface Table extends Breadth {
  readonly dice: Dice;
  readonly example: Example;
  readonly path: string;
  readonly object: string;
}

type Request = (table: Table, name: string) => Step;

const dry = "dryRun=All";

const queryOf = (dice: Dice): string =>
  dice.chance(0.15) ? `${dry}&fieldValidation=${dice.one(["Strict", "Warn", "Ignore", "Loose"])}` : dry;

const version = { resourceVersion: "{2.metadata.resourceVersion}" };

function bodyOf({ example }: Table, name: string, body: Json = example.body): Json {
  const whole = { ...body, metadata: { name: nameOf(example, name) } };
  return JSON.parse(JSON.stringify(whole).replaceAll("{n}", name)) as Json;
}

const nameOf = ({ name }: Example, plain: string): string =>
  name === undefined ? plain : name.replace("{n}", plain).replace("{i}", "9");

const withMetadata = (body: Json, metadata: Json): Json => ({ ...body, metadata });

const newWithMetadata: Request = (table, name) => {
  const body = bodyOf(table, name);
  return post(table.path, withMetadata(body, wildMetadata(table.dice, body["metadata"] as Json)), queryOf(table.dice));
};

const updateOfMetadata: Request = (table) => {
  const body = bodyOf(table, "{ns}");
  const given = { ...(body["metadata"] as Json), ...(table.dice.chance(0.8) ? version : {}) };
  return put(table.object, withMetadata(body, wildMetadata(table.dice, given)), queryOf(table.dice));
};

/** The body with a value of another type somewhere, or with a field that exists in no type. */
function mistyped({ dice, struct, schema }: Table, body: Json): Json {
  const copy = structuredClone(body);
  const { path } = placeIn(dice, body, struct, schema);
  let here: unknown = copy;
  for (const key of path.slice(0, -1)) {
    const next: unknown = isJson(here) ? here[key] : Array.isArray(here) ? (here as unknown[])[Number(key)] : undefined;
    if (!isJson(next) && !Array.isArray(next)) break;
    here = next;
  }
  const last = dice.chance(0.15) ? dice.one(["nonsense", "Spec", "METADATA"]) : (path.at(-1) ?? "spec");
  if (Array.isArray(here)) here[0] = stranger(dice);
  else if (isJson(here)) here[last] = stranger(dice);
  return copy;
}

const newOfOtherTypes: Request = (table, name) =>
  post(table.path, mistyped(table, bodyOf(table, name)), queryOf(table.dice));

const patched: Request = ({ dice, example, object, struct, schema }) => {
  const [type, body] = wildPatch(dice, { ...example.body, metadata: { name: "{ns}" } }, struct, schema);
  return patch(type, object, body, queryOf(dice));
};

const applied: Request = (table) => {
  const { dice, example, object, struct, schema } = table;
  const body = dice.chance(0.2) ? mistyped(table, example.body) : changedStruct(dice, example.body, struct, schema);
  const whole = { apiVersion: example.apiVersion, kind: struct.name.split(".").at(-1), ...bodyOf(table, "{ns}", body) };
  return apply(object, "m", whole, `${dry}${dice.chance(0.7) ? "&force=true" : ""}`);
};

const statusOf = ({ dice, struct, schema }: Table): unknown => {
  const field = struct.fields.get("status");
  if (field === undefined || dice.chance(0.05)) return stranger(dice);
  return somethingOf(dice, field.shape, schema, 0, field);
};

const writeOfStatus: Request = (table) => {
  const { dice, object } = table;
  const status = statusOf(table);
  if (dice.chance(0.4)) return patch(dice.one(["merge", "strategic"]), `${object}/status`, { status }, queryOf(dice));
  const body = bodyOf(table, "{ns}");
  const metadata = { ...(body["metadata"] as Json), ...version };
  return put(
    `${object}/status`,
    { ...withMetadata(body, dice.chance(0.2) ? wildMetadata(dice, metadata) : metadata), status },
    queryOf(dice),
  );
};

const deletion: Request = ({ dice, object }) => {
  const options: Json = {
    gracePeriodSeconds: dice.maybe(0.3, () => dice.one([0, 1, 30, -1, "1", 1.5])),
    propagationPolicy: dice.maybe(0.3, () => dice.one(["Background", "Foreground", "Orphan", "", "Other"])),
    orphanDependents: dice.maybe(0.2, () => dice.chance(0.5)),
    preconditions: dice.maybe(0.3, () =>
      dice.one([{ uid: "u" }, { uid: "" }, { resourceVersion: "1" }, version, { uid: "{2.metadata.uid}" }, {}]),
    ),
    kind: dice.maybe(0.2, () => dice.one(["DeleteOptions", "Other", ""])),
    apiVersion: dice.maybe(0.2, () => dice.one(["v1", "meta.k8s.io/v1", "apps/v1", "nowhere/v1"])),
    nonsense: dice.maybe(0.05, () => 1),
    dryRun: dice.chance(0.95) ? ["All"] : ["Some"],
  };
  if (dice.chance(0.7)) return del(object, options);
  const query = dice.one([
    "",
    "&gracePeriodSeconds=1",
    "&gracePeriodSeconds=x",
    "&propagationPolicy=Other",
    "&propagationPolicy=Orphan",
    "&orphanDependents=1",
  ]);
  return del(object, undefined, `${dry}${query}`);
};

const listing: Request = ({ dice, path }) => {
  const fields = [
    "metadata.name=a",
    "metadata.namespace=a",
    "spec.nodeName=a",
    "status.phase=a",
    "type=a",
    "reason=a",
    "spec.x=a",
  ];
  const parts = [
    `labelSelector=${encodeURIComponent(dice.one(["none=x", "none in (x)", "none=x,!y", "none==x", "none=not good", "A b=c", "=x"]))}`,
    ...(dice.chance(0.6) ? [`fieldSelector=${encodeURIComponent(dice.one(fields))}`] : []),
    ...(dice.chance(0.3) ? [`limit=${dice.one(["1", "-1", "x", "0"])}`] : []),
    ...(dice.chance(0.3)
      ? [
          `resourceVersion=${dice.one(["0", "x", "1"])}&resourceVersionMatch=${dice.one(["NotOlderThan", "Exact", "Other"])}`,
        ]
      : []),
  ];
  return get(path, parts.join("&"));
};

const scaleOf = (dice: Dice): Json => ({
  metadata: { name: dice.one(["{ns}", "{ns}", "other"]), namespace: "{ns}" },
  spec: dice.one<unknown>([{ replicas: dice.one([0, 3, -1, 2 ** 31]) }, {}, null, { replicas: "1" }]),
});

/** A request to any subresource but the status, with any method that it may support. */
const subresource: Request = (table) => {
  const { dice, object, subresources } = table;
  const others = [...subresources].filter(
    ([name]) => !["status", "proxy", "exec", "attach", "portforward", "log", "token"].includes(name),
  );
  if (others.length === 0) return get(`${object}/${dice.one(["scale", "nothing", "finalize"])}`);
  const [name] = dice.one(others);
  const at = `${object}/${name}`;
  if (name === "scale") {
    if (dice.chance(0.5)) return put(at, scaleOf(dice), queryOf(dice));
    return patch(dice.one(["merge", "strategic"]), at, scaleOf(dice), queryOf(dice));
  }
  const body = bodyOf(table, "{ns}", changedStruct(dice, table.example.body, table.struct, table.schema));
  const status = dice.chance(0.5) ? { status: statusOf(table) } : {};
  const whole: Json = { ...withMetadata(body, { ...(body["metadata"] as Json), ...version }), ...status };
  if (dice.chance(0.2)) return get(at);
  if (dice.chance(0.3)) return patch("merge", at, { spec: whole["spec"], ...status }, queryOf(dice));
  return dice.chance(0.8) ? put(at, whole, queryOf(dice)) : post(at, whole, queryOf(dice));
};

/** A PUT of an object that does not exist. */
const updateOfNothing: Request = (table, name) => {
  const body = bodyOf(table, name);
  return put(
    `${table.path}/${nameOf(table.example, name)}`,
    table.dice.chance(0.5) ? body : withMetadata(body, wildMetadata(table.dice, body["metadata"] as Json)),
    dry,
  );
};

const strangePath: Request = ({ dice, path }) =>
  get(
    `${path}/${encodeURIComponent(dice.one(texts.filter((text) => text !== "" && text !== "*" && !text.includes("/"))))}`,
  );

/** The requests with their relative frequency, which sums to 100. */
const requests: readonly (readonly [share: number, request: Request, needsObject: boolean])[] = [
  [12, newWithMetadata, false],
  [12, newOfOtherTypes, false],
  [8, updateOfMetadata, true],
  [30, patched, true],
  [6, applied, true],
  [14, writeOfStatus, true],
  [6, deletion, true],
  [3, listing, false],
  [5, subresource, true],
  [3, updateOfNothing, true],
  [1, strangePath, false],
];

function requestOf(table: Table): Request {
  const possible = requests.filter(([, request, needsObject]) =>
    request === writeOfStatus
      ? table.subresources.has("status") && table.example.newOnly !== true
      : !needsObject || table.example.newOnly !== true,
  );
  let left = table.dice.below(possible.reduce((sum, [share]) => sum + share, 0));
  const [, chosen] = possible.find(([share]) => (left -= share) < 0) ?? [];
  if (chosen === undefined) throw new RangeError("The shares of requests do not add up");
  return chosen;
}

/** A case for one kind: an object of it, and `length` requests. */
export function wildRequests(random: Random, example: Example, breadth: Breadth): Case {
  const path = pathOf(example);
  const object = `${path}/${nameOf(example, "{ns}")}`;
  const table: Table = { ...breadth, dice: diceOf(random), example, path, object };
  const first: Step[] = example.newOnly === true ? [] : [post(path, bodyOf(table, "{ns}")), settle, get(object)];
  const more = Array.from({ length: breadth.length }, (_, index) => requestOf(table)(table, `{ns}-${index}`));
  return { name: `${example.apiVersion} ${example.plural}: requests`, steps: [...first, ...more] };
}
