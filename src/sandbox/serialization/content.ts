/** What a response says, before it is encoded in the media type that the client accepts. */
export interface Content {
  /** As JSON. Stored objects are kept as JSON: nothing is parsed for it. */
  json(): string;
  /** As a value, for every other encoding. */
  value(): unknown;
}

/** The content that is one value; responses end with a line feed, `Status` errors do not. */
export function contentOf(value: unknown, end: "\n" | "" = "\n"): Content {
  return { json: () => `${JSON.stringify(value)}${end}`, value: () => value };
}
