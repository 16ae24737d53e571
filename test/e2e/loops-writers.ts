/**
 * Managers that write to the same objects of a real API server, each as its own field manager, in ways that leave different traces in
 * managedFields. Every version of every object is recorded as a watch delivers it, together with its writer.
 */
import type { StoredObject } from "../../src/api/object.ts";
import { below, type Random } from "../../src/platform/random.ts";
import type { Cluster } from "../support/cluster.ts";
import type { RecordedVersion } from "../support/recorded-versions.ts";

const managers = ["operator-a", "operator-b", "operator-c"] as const;
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

interface Write {
  readonly how: string;
  readonly method: "PATCH" | "PUT";
  readonly type: string;
  readonly subresource?: string;
  readonly body: object;
  /** The apply takes over fields owned by others. */
  readonly force?: true;
}

/** What the writes read, so that each changes something: the response to a write without a change does not reveal the writer. */
interface Current {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels?: Words;
    readonly annotations?: Words;
    readonly finalizers?: readonly string[];
  };
  readonly data?: Words;
  readonly spec?: { readonly replicas: number };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
type Words = Readonly<Record<string, string>>;

/** Undefined if there is nothing to change. */
type MakeWrite = (now: Current, random: Random, manager: string) => Write | undefined;

const keys = ["mode", "tier", "example.com/owner"] as const;
const values = ["blue", "green", "red"] as const;
const condition = "example.com/Fought";

function of<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T;
}

function another<T>(random: Random, from: readonly T[], than: T | undefined): T {
  return of(
    random,
    from.filter((value) => value !== than),
  );
}

function patched(how: string, body: object, subresource?: string): Write {
  return { how, method: "PATCH", type: merge, body, ...(subresource !== undefined && { subresource }) };
}

function sets(what: "labels" | "annotations"): MakeWrite {
  return ({ metadata }, random) => {
    const key = of(random, keys);
    const value = another<string>(random, values, metadata[what]?.[key]);
    return patched(`sets one of its ${what}`, { metadata: { [what]: { [key]: value } } });
  };
}

function removes(what: "labels" | "annotations"): MakeWrite {
  return ({ metadata }, random) => {
    const key = of(random, keys);
    if (metadata[what]?.[key] === undefined) return undefined;
    return patched(`removes one of its ${what}`, { metadata: { [what]: { [key]: null } } });
  };
}

/** Possible changes of the metadata of any object. */
const toMetadata: readonly MakeWrite[] = [
  sets("labels"),
  sets("annotations"),
  removes("labels"),
  removes("annotations"),
  ({ metadata }, random, manager) => {
    const [old] = metadata.finalizers ?? [];
    const names = values.map((value) => `example.com/${manager}-${value}`);
    return patched("sets its finalizers", { metadata: { finalizers: [another(random, names, old)] } });
  },
];

const configMapWrites: readonly MakeWrite[] = [
  ...toMetadata,
  ({ data }, random) => patched("sets data", { data: { size: another<string>(random, values, data?.["size"]) } }),
  ({ data }) => (data?.["size"] === undefined ? undefined : patched("removes data", { data: { size: null } })),
  ({ data }, random, manager) => ({
    how: "applies a label and data",
    method: "PATCH",
    type: apply,
    force: true,
    body: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shared", labels: { [of(random, keys)]: manager } },
      data: { size: another<string>(random, values, data?.["size"]) },
    },
  }),
  ({ data }, random) => ({
    how: "replaces it",
    method: "PUT",
    type: "application/json",
    body: {
      metadata: { name: "shared", labels: { mode: of(random, values) } },
      // Without any managedFields, the API server would stop tracking ownership.
      data: { size: another<string>(random, values, data?.["size"]), kept: "yes" },
    },
  }),
];

const replicas = (now: Current, random: Random): number => another(random, [1, 2, 3], now.spec?.replicas);

const deploymentWrites: readonly MakeWrite[] = [
  ...toMetadata,
  (now, random) => patched("sets replicas", { spec: { replicas: replicas(now, random) } }),
  (now, random) => patched("scales", { spec: { replicas: replicas(now, random) } }, "scale"),
  // A Scale omits 0, so the write owns no field, and neither does the next one through the same subresource.
  ({ spec }) => (spec?.replicas === 0 ? undefined : patched("scales to none", { spec: { replicas: 0 } }, "scale")),
  (_, random) =>
    patched("sets an annotation of the template", {
      spec: { template: { metadata: { annotations: { at: String(random.next()) } } } },
    }),
  ({ status }, random) => {
    const old = status?.conditions?.find(({ type }) => type === condition)?.status;
    const body = { status: { conditions: [{ type: condition, status: another(random, ["True", "False"], old) }] } };
    return { ...patched("sets a condition", body, "status"), type: strategic };
  },
  (now, random) => ({
    how: "applies replicas",
    method: "PATCH",
    type: apply,
    force: true,
    body: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shared" },
      spec: { replicas: replicas(now, random) },
    },
  }),
];

/** A Deployment named `shared` whose pods do not matter. */
const deployment = {
  metadata: { name: "shared" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "shared" } },
    template: { metadata: { labels: { app: "shared" } }, spec: { containers: [{ name: "c", image: "none" }] } },
  },
};

/** Lets the managers write `writes` times in total, to a ConfigMap and a Deployment named `shared` in a new namespace. */
export async function recordWriters(
  cluster: Pick<Cluster, "request" | "createNamespace" | "url" | "token" | "ca">,
  namespace: string,
  random: Random,
  writes: number,
): Promise<readonly RecordedVersion[]> {
  await cluster.createNamespace(namespace);
  const paths = {
    configmaps: `/api/v1/namespaces/${namespace}/configmaps`,
    deployments: `/apis/apps/v1/namespaces/${namespace}/deployments`,
  };
  const made = await Promise.all([
    cluster.request("POST", `${paths.configmaps}?fieldManager=creator`, {
      metadata: { name: "shared" },
      data: { size: "red", kept: "yes" },
    }),
    cluster.request("POST", `${paths.deployments}?fieldManager=creator`, deployment),
  ]);
  const stop = new AbortController();
  const watched = Object.values(paths).map((path, index) =>
    watch(cluster, path, made[index]?.body as StoredObject, stop.signal),
  );
  const writer = new Map<string, { readonly by: string; readonly how: string }>();
  for (let n = 0; n < writes; n++) {
    const [resource, makers] =
      below(random, 2) === 0
        ? (["configmaps", configMapWrites] as const)
        : (["deployments", deploymentWrites] as const);
    const by = of(random, managers);
    const path = `${paths[resource]}/shared`;
    const now = (await cluster.request("GET", path)).body as Current;
    const write = of(random, makers)(now, random, by);
    if (write === undefined) continue;
    const version = await send(cluster, path, write, { by, now });
    if (version !== undefined) writer.set(version, { by, how: write.how });
  }
  const last = await Promise.all(Object.values(paths).map((path) => cluster.request("GET", `${path}/shared`)));
  const versions = await Promise.all(
    watched.map(async (each, index) => {
      const { metadata } = (last[index] as { readonly body: StoredObject }).body;
      return await (await each).until(metadata.resourceVersion);
    }),
  );
  stop.abort();
  return versions.flat().map((object) => {
    const known = writer.get(object.metadata.resourceVersion);
    return { object, by: known?.by ?? "kube-controller-manager", how: known?.how ?? "answers" };
  });
}

/** Returns the version that the write created from the one that it read; undefined if kube-controller-manager was faster. */
async function send(
  cluster: Pick<Cluster, "request">,
  path: string,
  { method, type, subresource, body, force }: Write,
  { by, now }: { readonly by: string; readonly now: Current },
): Promise<string | undefined> {
  const part = subresource === undefined ? "" : `/${subresource}`;
  const whole = `${path}${part}?fieldManager=${by}${force === true ? "&force=true" : ""}`;
  const { resourceVersion } = now.metadata;
  const { metadata = {} } = body as { readonly metadata?: object };
  const based = { ...body, metadata: { ...metadata, resourceVersion } };
  const response = await cluster.request(method, whole, based, { "content-type": type });
  if (response.status === 409) return undefined;
  if (response.status >= 300) throw new Error(`${method} ${whole}: ${JSON.stringify(response.body)}`);
  return (response.body as StoredObject).metadata.resourceVersion;
}

interface Watched {
  /** Returns all versions so far, once this one is among them. */
  until(resourceVersion: string): Promise<readonly StoredObject[]>;
}

/** Opens a watch that starts after the first version. */
async function watch(
  { url, token, ca }: Pick<Cluster, "url" | "token" | "ca">,
  path: string,
  first: StoredObject,
  signal: AbortSignal,
): Promise<Watched> {
  const response = await fetch(
    `${url}${path}?watch=1&fieldSelector=metadata.name%3Dshared&resourceVersion=${first.metadata.resourceVersion}`,
    { tls: { ca }, headers: { authorization: `Bearer ${token}` }, signal },
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const versions: StoredObject[] = [first];
  let rest = "";
  return {
    async until(resourceVersion) {
      while (!versions.some(({ metadata }) => metadata.resourceVersion === resourceVersion)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the watch of ${path} ended before version ${resourceVersion}`);
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) versions.push((JSON.parse(line) as { readonly object: StoredObject }).object);
      }
      return versions;
    },
  };
}
