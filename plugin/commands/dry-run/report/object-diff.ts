/** The unified diff of one object's YAML before and after. */
import { structuredPatch } from "diff";
import { Document, visit } from "yaml";
import { visibleText } from "../../../../src/platform/visible-text.ts";
import type { StoredObject } from "../../../../src/api/object.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import { type DiffVisibility, normalizeForDiff } from "../../../../src/views/normalize-for-diff.ts";
import { nameOf } from "./headline.ts";

const context = 3;

/** Lines of a unified diff; none if no shown field differs, and none for a deleted object with a generated name, whose contents do not matter. */
export function objectDiff(change: ObjectChange, shown: DiffVisibility): readonly string[] {
  const { before, after } = change;
  if (change.did === "deleted" && change.shownKey !== change.key) return [];
  const [old, now] = [yamlOf(change, before, after, shown, "after"), yamlOf(change, after, before, shown, "before")];
  const { hunks } = structuredPatch("", "", old, now, "", "", { context });
  if (hunks.length === 0) return [];
  const name = nameOf(change);
  return [
    `--- ${before === undefined ? "/dev/null" : `${name} (before)`}`,
    `+++ ${after === undefined ? "/dev/null" : `${name} (after)`}`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines.filter((line) => !line.startsWith("\\")),
    ]),
  ];
}

function yamlOf(
  { of, did, key, shownKey }: ObjectChange,
  object: StoredObject | undefined,
  other: StoredObject | undefined,
  shown: DiffVisibility,
  otherIs: "before" | "after",
): string {
  if (object === undefined) return "";
  const form = normalizeForDiff(of, object, shown, other === undefined ? undefined : { object: other, is: otherIs });
  // The status of a new or deleted object is only momentary.
  if (did === "created" || did === "deleted") delete form["status"];
  if (shownKey !== key) delete (form["metadata"] as { name?: string }).name;
  return yamlText(inOrder(form));
}

/** Sorts the fields: those that identify the object first, the status last. */
export function inOrder({ apiVersion, kind, metadata, status, ...rest }: Readonly<Record<string, unknown>>): object {
  return { apiVersion, kind, metadata, ...rest, ...(status !== undefined && { status }) };
}

/** YAML like kubectl's, except that fields are in the order of the API. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      // In double quotes, the escape shown for a control character is also valid YAML.
      if (typeof node.value === "string" && visibleText(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, doubleQuotedMinMultiLineLength: Infinity });
}
