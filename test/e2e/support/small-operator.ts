/**
 * An operator of twenty lines, without any library: keeps an owned copy of each ConfigMap with the label `copy`. It finds its API server
 * only through KUBECONFIG. `LASTS=1`: it survives the end of its watch. `LOOP=1`: it writes the copy on every reconcile, even if nothing
 * has changed. `BUG=…`: it does one thing wrong.
 */
import { readFileSync } from "node:fs";

interface ConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

const config = readFileSync(process.env["KUBECONFIG"] ?? "", "utf8");
const found = (field: string): string => new RegExp(`${field}: (\\S+)`).exec(config)?.[1] ?? "";
const tls = { ca: atob(found("certificate-authority-data")) };
const headers = {
  authorization: `Bearer ${found("token")}`,
  "user-agent": "copier/v1",
  "content-type": "application/json",
};
const path = "/api/v1/namespaces/default/configmaps";
const send = (method: string, rest: string, body?: unknown): Promise<Response> =>
  fetch(`${found("server")}${path}${rest}`, {
    method,
    headers,
    tls,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Whether it lists again when its watch has ended. */
const lasts = process.env["LASTS"] === "1";
/** The bug to simulate, if any. */
const bug = process.env["BUG"];
let writes = 0;

function wantedData(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (bug === "wrong value") return { ...data, size: "0" };
  if (bug === "field too many") return { ...data, extra: "1" };
  if (bug === "field too few") return Object.fromEntries(Object.entries(data).slice(1));
  if (bug === "field that flaps" || bug === "endless") return { ...data, turn: String(writes++ % 2) };
  return data;
}

async function reconcile({ metadata: { name, uid, labels }, data = {} }: ConfigMap): Promise<void> {
  if (labels?.["copy"] !== "yes") return;
  if (bug === "one too few" && name.endsWith("3")) return;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true }];
  const wanted = {
    metadata: {
      name: `${name}-copy`,
      ...(bug !== "no owner" && { ownerReferences }),
      ...(bug === "wrong label" && { labels: { copy: "no" } }),
      ...(bug === "finalizer" && { finalizers: ["example.com/copy"] }),
    },
    data: wantedData(data),
  };
  const now = await send("GET", `/${name}-copy`);
  if (bug === "deletes" && now.status === 200) {
    await send("DELETE", `/${name}-copy`);
    return;
  }
  if (now.status === 404) await send("POST", "", wanted);
  else if (process.env["LOOP"] === "1" || !Bun.deepEquals(((await now.json()) as ConfigMap).data ?? {}, wanted.data))
    await send("PUT", `/${name}-copy`, wanted);
}

async function listAndWatch(): Promise<void> {
  const list = (await (await send("GET", "")).json()) as {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly ConfigMap[];
  };
  for (const item of list.items) await reconcile(item);
  const watch = await send("GET", `?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of watch.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: ConfigMap };
      if (type !== "DELETED") await reconcile(object);
      const again = bug === "endless" && object.metadata.labels?.["copy"] === "yes" ? 1_000_000 : 0;
      for (let n = 0; n < again; n++) await reconcile(object);
    }
  }
}

console.log("copier begins");
for (;;) {
  try {
    await listAndWatch();
  } catch (error) {
    if (!lasts) throw error;
    console.log("begins again");
  }
  if (!lasts) break;
  await Bun.sleep(200);
}
