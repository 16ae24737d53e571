/**
 * Generates `src/api/wire/api.json` from a real kube-apiserver: its discovery, the types of its OpenAPI v3 documents and the columns of its
 * tables, without prose; and `src/sandbox/serving/openapi/schemas.json`, what these documents are built from.
 * `bun scripts/extract-api/extract.ts [BIN_DIR]`; BIN_DIR contains what scripts/control-plane/build.sh built.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiData, ResourceData } from "../../src/api/wire/format.ts";
import type { OpenApiData } from "../../src/sandbox/serving/openapi/data.ts";
import { openApiData, type OpenApiDocument, type Swagger } from "./openapi.ts";
import { typesOf, type EmptyFields, type OpenApiSchemas } from "./types.ts";

const top = join(import.meta.dir, "..", "..");
const bin = process.argv[2] ?? join(homedir(), ".cache", "kubectl-reconcile", "control-plane-build");

interface Discovered {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

/** Reads one document of the server at `port`. */
function reader(port: number): <T>(path: string, accept?: string) => Promise<T> {
  return async <T>(path: string, accept = "application/json"): Promise<T> => {
    const response = await fetch(`https://127.0.0.1:${port}${path}`, {
      headers: { authorization: "Bearer admintoken", accept },
      tls: { rejectUnauthorized: false },
    });
    if (!response.ok) throw new Error(`Cannot read ${path}: the server answered ${response.status}`);
    return (await response.json()) as T;
  };
}

/** How Go writes the empty fields of its types. */
function emptyFields(): EmptyFields {
  const run = Bun.spawnSync(["go", "run", join(import.meta.dir, "fields", "main.go")], {
    cwd: join(top, "scripts", "control-plane", "kubernetes"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (run.exitCode !== 0) throw new Error("Cannot read the Go types: see above");
  return JSON.parse(run.stdout.toString()) as EmptyFields;
}

/** The columns of a resource's table; none if it cannot be listed. */
async function columnsOf(
  read: ReturnType<typeof reader>,
  root: string,
  entry: Discovered,
): Promise<readonly string[] | undefined> {
  if (!entry.verbs.includes("list")) return undefined;
  const table = await read<{ readonly columnDefinitions: readonly Column[] }>(
    `${root}/${entry.name}?limit=1`,
    "application/json;as=Table;v=v1;g=meta.k8s.io",
  );
  return table.columnDefinitions.map((c) => `${c.name}|${c.type}|${c.format}|${c.priority}`);
}

async function extract(read: ReturnType<typeof reader>): Promise<ApiData> {
  const groups = await read<{
    readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
  }>("/apis");
  const data: {
    groups: { name: string; versions: string[] }[];
    resources: Record<string, ResourceData[]>;
    types: ApiData["types"];
    kinds: Record<string, string>;
  } = { groups: [], resources: {}, types: {}, kinds: {} };
  const versions: [group: string, version: string][] = [["", "v1"]];
  for (const group of groups.groups) {
    data.groups.push({ name: group.name, versions: group.versions.map((v) => v.version) });
    for (const { version } of group.versions) versions.push([group.name, version]);
  }
  const schemas: Record<string, OpenApiSchemas[string]> = {};
  for (const [group, version] of versions) {
    const groupVersion = group === "" ? version : `${group}/${version}`;
    const root = group === "" ? `/api/${version}` : `/apis/${groupVersion}`;
    const found = await read<{ readonly resources: readonly Discovered[] }>(root);
    const resources: ResourceData[] = [];
    for (const entry of found.resources) {
      const columns = await columnsOf(read, root, entry);
      resources.push({ ...entry, ...(columns === undefined ? {} : { columns }) });
    }
    data.resources[groupVersion] = resources;
    const document = await read<{ readonly components?: { readonly schemas?: OpenApiSchemas } }>(`/openapi/v3${root}`);
    Object.assign(schemas, document.components?.schemas ?? {});
  }
  return { ...data, ...typesOf(schemas, emptyFields()) };
}

/** What all OpenAPI documents are built from. */
async function openApi(read: ReturnType<typeof reader>): Promise<OpenApiData> {
  const { paths } = await read<{ readonly paths: Readonly<Record<string, unknown>> }>("/openapi/v3");
  const documents: OpenApiDocument[] = [];
  for (const path of Object.keys(paths).sort()) {
    // Those of the signing keys are not served.
    if (/^(api|version)/.test(path)) documents.push(await read<OpenApiDocument>(`/openapi/v3/${path}`));
  }
  return openApiData(documents, await read<Swagger>("/openapi/v2"));
}

async function write(path: string, value: unknown): Promise<number> {
  return Bun.write(join(top, path), `${JSON.stringify(value)}\n`);
}

const dir = mkdtempSync(join(tmpdir(), "extract-api-"));
const port = 20000 + Math.floor(Math.random() * 30000);
const controlPlane = join(top, "scripts", "control-plane");
try {
  const up = Bun.spawnSync([join(controlPlane, "up.sh"), bin, dir, String(port)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (up.exitCode !== 0) throw new Error("Cannot start the control plane: see above");
  const read = reader(port);
  const data = await extract(read);
  const bytes = await write("src/api/wire/api.json", data);
  console.log(
    `src/api/wire/api.json: ${bytes} bytes, ${Object.keys(data.types).length} types, ` +
      `${Object.values(data.resources).flat().length} resources`,
  );
  const documents = await openApi(read);
  const more = await write("src/sandbox/serving/openapi/schemas.json", documents);
  console.log(
    `src/sandbox/serving/openapi/schemas.json: ${more} bytes, ${Object.keys(documents.schemas).length} schemas`,
  );
} finally {
  Bun.spawnSync([join(controlPlane, "down.sh"), dir], { stdio: ["ignore", "inherit", "inherit"] });
  rmSync(dir, { recursive: true, force: true });
}
