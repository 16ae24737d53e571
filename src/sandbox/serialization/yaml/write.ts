/**
 * Converts JSON to YAML as kube-apiserver does: sorted keys, lists not indented, quotes only if needed.
 * Source: sigs.k8s.io/yaml v1.6 JSONToYAML, go.yaml.in/yaml/v2 encode.go; differs: long strings stay on one line.
 */
import { Document, visit } from "yaml";
import { needsQuotes } from "./scalars.ts";

/** Characters that must be escaped in YAML. */
const special = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const allSpecial: RegExp = new RegExp(special.source, "gu");

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A value as YAML, in the style of sigs.k8s.io/yaml: keys sorted, strings quoted where Go quotes them. */
export function writeYaml(json: unknown): string {
  const document = new Document(json, {
    schema: "core",
    merge: false,
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== "string") return;
      if (special.test(node.value)) node.type = "QUOTE_DOUBLE";
      else if (node.value.includes("\n")) node.type = "BLOCK_LITERAL";
      else if (needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
      else node.type = "PLAIN";
    },
  });
  const written = document.toString({ indentSeq: false, lineWidth: 0, singleQuote: true });
  return written.replaceAll(allSpecial, escaped);
}
