import type { Cluster } from "../../support/cluster.ts";
import { core, type Hand, type Json, type Row, space } from "./row.ts";

const merge = { "content-type": "application/merge-patch+json" };

/** Requests of the cluster's admin. */
export function handOf(cluster: Cluster): Hand {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Json> => {
    const response = await cluster.request(method, path, body, headers);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body as Json;
  };
  return {
    cluster,
    async status(path, status) {
      await send("PATCH", `${path}/status`, { status }, merge);
    },
    async patch(path, patch) {
      await send("PATCH", path, patch, merge);
    },
    async create(path, object) {
      await send("POST", path, object);
    },
    async remove(path, options = {}) {
      await send("DELETE", path, { apiVersion: "v1", kind: "DeleteOptions", ...options });
    },
    async pods(app, count = 1) {
      let paths: readonly string[] = [];
      await soon(`${count} scheduled pods of ${app}`, async () => {
        const { body } = await cluster.request("GET", `${core}/pods?labelSelector=app%3D${app}`);
        const items = body.items as { metadata: { name: string }; spec: { nodeName?: string } }[];
        paths = items
          .filter(({ spec }) => spec.nodeName !== undefined)
          .map(({ metadata }) => `${core}/pods/${metadata.name}`);
        return paths.length >= count;
      });
      return paths;
    },
    async uidOf(path) {
      const { metadata } = await send("GET", path);
      return (metadata as { uid: string }).uid;
    },
  };
}

/** Waits until `test` returns true, for three minutes at most. */
export async function soon(what: string, test: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 180_000; !(await test());) {
    if (Date.now() > until) throw new Error(`Waited in vain for three minutes: ${what}`);
    await Bun.sleep(100);
  }
}

/** Creates objects with kubectl; those without a namespace in the given one. */
export async function createAll({ cluster }: Hand, objects: readonly Json[], namespace: string): Promise<void> {
  const namespaceOf = ({ metadata }: Json): string => (metadata as { namespace?: string }).namespace ?? namespace;
  for (const [where, items] of Map.groupBy(objects, namespaceOf)) {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const run = await cluster.kubectl(["create", "-n", where, "--validate=false", "-f", "-"], list);
    if (run.code !== 0) throw new Error(run.stderr);
  }
}

/** Creates the objects of the rows, then runs their further steps; each failure has the name of its row. */
export async function play(hand: Hand, rows: readonly Row[]): Promise<void> {
  await createAll(
    hand,
    rows.flatMap(({ objects = [] }) => objects),
    space,
  );
  await Promise.all(
    rows.map(async ({ name, afterwards }) => {
      try {
        await afterwards?.(hand);
      } catch (error) {
        throw new Error(`Cannot play ${JSON.stringify(name)}`, { cause: error });
      }
    }),
  );
}
