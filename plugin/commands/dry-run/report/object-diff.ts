/** The unified diff of one object's YAML before and after. */
import { structuredPatch } from "diff";
import { Document, visit } from "yaml";
import { visibleText } from "../../../../src/platform/visible-text.ts";
import type { StoredObject } from "../../../../src/api/object.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import { type DiffVisibility, normalizeForDiff } from "../../../../src/views/normalize-for-diff.ts";
import { nameOf } from "./headline.ts";

const context = 3;

/**
 * Lines of a unified diff; none where nothing that is shown differs, and none for what its owner made and takes away again: of
 * that, that it goes is all there is to say.
 */
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
  // A new or deleted object is described by its spec: its status is momentary.
  if (did === "created" || did === "deleted") delete form["status"];
  if (shownKey !== key) delete (form["metadata"] as { name?: string }).name;
  return yamlText(inOrder(form));
}

/** What says which object it is comes first, its status last. */
export function inOrder({ apiVersion, kind, metadata, status, ...rest }: Readonly<Record<string, unknown>>): object {
  return { apiVersion, kind, metadata, ...rest, ...(status !== undefined && { status }) };
}

/** As kubectl writes it, but for the order of fields: that of the API. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      // In quotes the escape that the terminal gets in place of a control character says the same to a reader of YAML.
      if (typeof node.value === "string" && visibleText(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, doubleQuotedMinMultiLineLength: Infinity });
}
