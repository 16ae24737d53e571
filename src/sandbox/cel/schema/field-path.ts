/** Field paths in rules. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go ValidFieldPath. */
import { type JsonSchema, valuesOf } from "./schema.ts";

/** Splits a path into delimiters, names, and strings in single quotes. */
function tokensOf(path: string): string[] {
  return path.match(/'(?:[^'\\]|\\.|'(?=.*\\')|\\)*?(?<!\\)'|[.[\]]|[^.[\]']+/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unquoted(token: string): string | undefined {
  let isRight = token.length >= 2 && token.startsWith("'") && token.endsWith("'");
  const text = token.slice(1, -1).replaceAll(/\\(.)/g, (_, letter: string) => {
    const found = escapes[letter];
    if (found === undefined) isRight = false;
    return found ?? "";
  });
  return isRight ? text : undefined;
}

/** The path as errors print it, `spec.containers[name]`; undefined if it is not a field of the schema. */
export function normalizedFieldPath(path: string, schema: JsonSchema): string | undefined {
  const tokens = tokensOf(path);
  let at: JsonSchema | undefined = schema;
  let normal = "";
  for (let n = 0; n < tokens.length;) {
    const isIndex = tokens[n] === "[";
    if (!isIndex && tokens[n] !== ".") return undefined;
    const token = tokens[n + 1];
    const name = token === undefined ? undefined : isIndex ? unquoted(token) : token;
    if (name === undefined || at === undefined) return undefined;
    if (isIndex && tokens[n + 2] !== "]") return undefined;
    n += isIndex ? 3 : 2;
    const { properties }: JsonSchema = at;
    if (properties !== undefined) {
      if (!Object.hasOwn(properties, name)) return undefined;
      normal = normal === "" ? name : `${normal}.${name}`;
      at = properties[name];
    } else {
      if (at.additionalProperties === undefined) return undefined;
      normal = `${normal}[${name}]`;
      at = valuesOf(at);
    }
  }
  return normal;
}
