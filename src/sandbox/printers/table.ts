/**
 * Tables, as `kubectl get` shows them. Columns come from `api.json`, and cells are built like the real server's; kinds without a table here
 * show names and ages. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go.
 */
import { partialOf, type Format } from "../serialization/encoding.ts";
import { at, type ApiObject, type Fields } from "../meta/object.ts";
import type { Resource } from "../registry/resource.ts";
import type { Entry } from "../storage/entry.ts";
import { age, type Cells, numberAt } from "./cells.ts";
import { pathCells } from "./path-cells.ts";
import { clusterTables } from "./cluster.ts";
import { eventCells } from "./events.ts";
import { extensionTables } from "./extensions.ts";
import { networkTables } from "./network.ts";
import { podConditions } from "./pods.ts";
import { storageTables } from "./storage.ts";
import { workloadTables } from "./workloads.ts";

/** By storage name. */
const tables: Readonly<Record<string, Cells>> = {
  ...workloadTables,
  ...clusterTables,
  ...networkTables,
  ...storageTables,
  ...extensionTables,
  events: eventCells,
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

const nameColumn: Column = { name: "Name", type: "string", format: "name", description: "Name", priority: 0 };

function columnsOf(resource: Resource): readonly Column[] {
  if (resource.form !== undefined)
    return [nameColumn, ...resource.form.columns.map(({ path: _path, ...column }) => column)];
  return (resource.data.columns ?? ["Name|string|name|0"]).map((column) => {
    const [name = "", type = "", format = "", priority = "0"] = column.split("|");
    return { name, type, format, description: name, priority: Number(priority) };
  });
}

/** The cells of a kind without a table here. A role's age is its creation time. */
function plainCells(columns: readonly Column[], object: ApiObject, now: number): readonly unknown[] {
  return columns.map(({ name }, index) => {
    if (index === 0) return object.metadata.name;
    if (name === "Created At") return object.metadata.creationTimestamp ?? "<unknown>";
    return name === "Age" ? age(object, now) : "";
  });
}

/** The options of a table. */
export interface TableOptions {
  /** The version of `meta.k8s.io`. */
  readonly version: string;
  /** How much of its object each row includes. */
  readonly objects: "Metadata" | "Object" | "None";
  readonly now: () => number;
  /** The whole object, at the version of the request. */
  readonly whole: (entry: Entry) => unknown;
}

function objectOf(entry: Entry, { objects, version, whole }: TableOptions): unknown {
  if (objects === "None") return null;
  return objects === "Object" ? whole(entry) : partialOf(entry.object, version);
}

function rowOf(resource: Resource, columns: readonly Column[], entry: Entry, options: TableOptions): Fields {
  const { object } = entry;
  const now = options.now();
  const { form } = resource;
  const cells =
    form === undefined
      ? (tables[resource.storage]?.(object, now) ?? plainCells(columns, object, now))
      : pathCells(form.columns, { object: form.convert(object), now });
  const conditions = resource.storage === "pods" ? podConditions(object) : undefined;
  return { cells, ...(conditions === undefined ? {} : { conditions }), object: objectOf(entry, options) };
}

/** FlowSchemas are sorted in evaluation order, all others as listed. Source: printFlowSchemaList. */
function inOrder({ storage }: Resource, entries: readonly Entry[]): readonly Entry[] {
  if (storage !== "flowschemas.flowcontrol.apiserver.k8s.io") return entries;
  const precedence = ({ object }: Entry): number => numberAt(object, "spec", "matchingPrecedence");
  return entries.toSorted((a, b) => precedence(a) - precedence(b));
}

/** A table of objects. */
export function tableOf(
  resource: Resource,
  entries: readonly Entry[],
  metadata: object,
  options: TableOptions & { readonly withColumns: boolean },
): object {
  const columns = columnsOf(resource);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.withColumns ? columns : null,
    // For a kind without its own columns, an empty list of rows is null.
    rows:
      entries.length === 0 && columns.some(({ name }) => name === "Created At")
        ? null
        : inOrder(resource, entries).map((entry) => rowOf(resource, columns, entry, options)),
  };
}

/** Objects as one-row tables; a watch has the columns only in its first event. */
export function tableFormat(resource: Resource, options: TableOptions): Format {
  const format = (withColumns: boolean): Format => {
    const value = (entry: Entry): object =>
      tableOf(resource, [entry], { resourceVersion: String(entry.revision) }, { ...options, withColumns });
    return {
      // Ages differ between watches: the name makes them distinct per second.
      name: `table ${options.version} ${options.objects} ${withColumns} ${Math.floor(options.now() / 1000)}`,
      text: (entry) => JSON.stringify(value(entry)),
      value,
      headLength: 0,
    };
  };
  return { ...format(false), first: format(true) };
}

/** A Scale as a table. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go printScale. */
export function scaleTable(scale: ApiObject, { version, objects, now }: Omit<TableOptions, "whole">): object {
  const column = (name: string, type: string): Column => ({ name, type, format: "", description: name, priority: 0 });
  const replicas = (part: unknown): unknown => at(part, "replicas") ?? 0;
  const object = objects === "None" ? null : objects === "Object" ? scale : partialOf(scale, version);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { resourceVersion: scale.metadata.resourceVersion },
    columnDefinitions: [
      column("Name", "string"),
      column("Desired", "integer"),
      column("Available", "integer"),
      column("Age", "string"),
    ],
    rows: [{ cells: [scale.metadata.name, replicas(scale.spec), replicas(scale.status), age(scale, now())], object }],
  };
}
