/** The content of a response, before it is encoded in the accepted media type. */
export interface Content {
  /** As JSON. Stored objects are kept as JSON, so nothing is parsed. */
  json(): string;
  /** As a value, for every other encoding. */
  value(): unknown;
}

/** Content from one value; responses end with a line feed, `Status` errors do not. */
export function contentOf(value: unknown, end: "\n" | "" = "\n"): Content {
  return { json: () => `${JSON.stringify(value)}${end}`, value: () => value };
}
