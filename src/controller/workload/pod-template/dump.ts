/**
 * Dumps a pod template as Go's spew prints it, with types and private fields: the input of its hash.
 * Source: kubernetes v1.36 pkg/util/hash/hash.go DeepHashObject, go-spew spew/format.go; differs: from JSON and a table of types.
 */
import { compareAsGo } from "../../../api/go-json.ts";
import { parseTime } from "../../../api/time.ts";
import { type GoType, podTemplateSpec } from "./go-types.ts";
import { dumpQuantity } from "./quantity-dump.ts";

/** How the dumped Go value came about. */
export interface DumpOptions {
  /**
   * Whether the Go value was sent to the API server before it is dumped: encoding caches the text of each quantity in the value, except in
   * map entries.
   */
  readonly sent?: boolean;
}

/** Dumps a template. Fields that Kubernetes 1.36 does not know are omitted. */
export function dumpPodTemplate(template: unknown, options: DumpOptions = {}): string {
  return typed(podTemplateSpec, template, options.sent === true);
}

/** A value preceded by its type, as in struct fields. */
function typed(type: GoType, value: unknown, sent: boolean): string {
  return `(${type.name})${bare(type, value, sent)}`;
}

/** A value without its type, as behind pointers and in list and map entries. */
function bare(type: GoType, value: unknown, sent: boolean): string {
  switch (type.is) {
    case "pointer":
      return value === undefined || value === null ? "<nil>" : bare(type.to, value, sent);
    case "slice": {
      const items = (value ?? []) as readonly unknown[];
      return items.length === 0 ? "<nil>" : `[${items.map((item) => bare(type.of, item, sent)).join(" ")}]`;
    }
    case "map": {
      const entries = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
      if (entries.length === 0) return "<nil>";
      // Map entries are copies, so a text cached by encoding is lost.
      const texts = entries.sort(byKey).map(([key, entry]) => `${key}:${bare(type.of, entry, false)}`);
      return `map[${texts.join(" ")}]`;
    }
    case "struct": {
      const object = (value ?? {}) as Readonly<Record<string, unknown>>;
      const fields = type.fields.map(
        (field) => `${field.name}:${typed(field.type, field.json === "" ? object : object[field.json], sent)}`,
      );
      return `{${fields.join(" ")}}`;
    }
    case "leaf":
      return leaf(type.name, value, sent);
    case "text":
      return (value as string | undefined | null) ?? "";
    case "number":
      return String((value as number | undefined) ?? 0);
    case "boolean":
      return String(value === true);
  }
}

function leaf(name: Extract<GoType, { is: "leaf" }>["name"], value: unknown, sent: boolean): string {
  switch (name) {
    case "resource.Quantity":
      return dumpQuantity(value as string | number | undefined, { sent });
    case "intstr.IntOrString":
      return typeof value === "string"
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${(value as number | undefined) ?? 0} StrVal:(string)}`;
    case "v1.Time":
      return `{Time:(time.Time)${time(value as string | undefined | null)}}`;
    case "v1.FieldsV1":
      return `{Raw:([]uint8)[${new TextEncoder().encode(JSON.stringify(value)).join(" ")}]}`;
  }
}

/** From January 1 of the year 1, Go's zero time, to 1970. */
const secondsBefore1970 = 62_135_596_800;
/** The local time zone in kube-controller-manager's image, which has none. Elsewhere, the full zone would be dumped. */
const zone =
  "(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) " +
  "cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}";

function time(value: string | undefined | null): string {
  if (value === undefined || value === null) return "{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}";
  const seconds = Math.floor(parseTime(value) / 1000) + secondsBefore1970;
  return `{wall:(uint64)0 ext:(int64)${seconds} loc:${zone}}`;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareAsGo(a, b);
}
