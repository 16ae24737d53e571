/** The YAML of a kubeconfig file, parsed as kubectl parses it. */
import { Composer, type Document, LineCounter, Parser, type Tags, YAMLParseError } from "yaml";

/** Text that is not YAML. The message says where and what, and quotes nothing: the text may contain secrets. */
export class NotYaml extends Error {
  override readonly name = "NotYaml";
}

/** YAML 1.1 types that Go's parser does not support: `1:30` and `2026-11-22` stay strings. */
const unknownToGo = /^tag:yaml\.org,2002:(timestamp|set|omap|pairs)$/;

/**
 * The first document; undefined if there is none. The last of duplicate keys counts, and `on` and `yes` are booleans.
 *
 * @throws NotYaml
 * Source: sigs.k8s.io/yaml v1.6 yaml.go YAMLToJSON, go.yaml.in/yaml/v2 resolve.go.
 */
export function readKubeconfigYaml(text: string): unknown {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  const [error] = document?.errors ?? [];
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const what = error.code.toLowerCase().replaceAll("_", " ");
    throw new NotYaml(`line ${line}, column ${col}: ${what}`, { cause: error });
  }
  try {
    return document?.toJS() as unknown;
  } catch (cause) {
    if (cause instanceof YAMLParseError) throw cause;
    throw new NotYaml("an alias without its anchor, or too many of them", { cause });
  }
}

function firstDocument(text: string, lines: LineCounter): Document | undefined {
  const composer = new Composer({
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    customTags: (tags: Tags) =>
      tags.filter((tag) => typeof tag === "string" || !(unknownToGo.test(tag.tag) || tag.format === "TIME")),
  });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) return document;
  return undefined;
}
