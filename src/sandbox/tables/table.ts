/**
 * Tables: what `kubectl get` shows. The columns come from `api.json`, the cells are made as the real server makes them; kinds
 * without a table of their own here show their names and ages. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go.
 */
import { partialOf, type Format } from "../encoding.ts";
import type { ApiObject, Fields } from "../object.ts";
import type { Resource } from "../registry/resource.ts";
import type { Entry } from "../store/entry.ts";
import { age, type Cells } from "./cells.ts";
import { clusterTables } from "./cluster.ts";
import { eventCells } from "./events.ts";
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
  events: eventCells,
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

function columnsOf(resource: Resource): readonly Column[] {
  return (resource.data.columns ?? ["Name|string|name|0"]).map((column) => {
    const [name = "", type = "", format = "", priority = "0"] = column.split("|");
    return { name, type, format, description: name, priority: Number(priority) };
  });
}

/** Of a kind without cells of its own. A role's age is the time itself. */
function plainCells(columns: readonly Column[], object: ApiObject, now: number): readonly unknown[] {
  return columns.map(({ name }, index) => {
    if (index === 0) return object.metadata.name;
    if (name === "Created At") return object.metadata.creationTimestamp ?? "<unknown>";
    return name === "Age" ? age(object, now) : "";
  });
}

function rowOf(resource: Resource, columns: readonly Column[], object: ApiObject, now: number): Fields {
  const cells = tables[resource.storage]?.(object, now) ?? plainCells(columns, object, now);
  const conditions = resource.storage === "pods" ? podConditions(object) : undefined;
  return { cells, ...(conditions === undefined ? {} : { conditions }), object: partialOf(object) };
}

/** A table of objects, as JSON. */
export function tableText(resource: Resource, entries: readonly Entry[], metadata: object, now: number): string {
  const columns = columnsOf(resource);
  return JSON.stringify({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns,
    // A kind without columns of its own has no list of rows to begin with.
    rows:
      entries.length === 0 && columns.some(({ name }) => name === "Created At")
        ? null
        : entries.map(({ object }) => rowOf(resource, columns, object, now)),
  });
}

/** Objects as tables of one row. */
export function tableFormat(resource: Resource, now: () => number): Format {
  return {
    // Ages differ from watch to watch: the name keeps them apart by the second.
    name: `table${Math.floor(now() / 1000)}`,
    text: (entry) => tableText(resource, [entry], { resourceVersion: String(entry.revision) }, now()),
    headLength: 0,
  };
}
