/** What a PKCS #10 certificate request says of its subject. Source: RFC 2986; X.690 for its bytes. */

/** The organizations of the subject; none where the request cannot be read. */
export function organizationsIn(request: string): string[] {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const body = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return [];
  // CertificationRequest { CertificationRequestInfo { version, subject, … }, … }
  const [whole] = elementsOf(Buffer.from(body, "base64"));
  const [info] = elementsOf(whole?.content);
  const [, subject] = elementsOf(info?.content);
  return elementsOf(subject?.content).flatMap((set) => elementsOf(set.content).flatMap(organizationOf));
}

const organization = "55040a";

/** AttributeTypeAndValue { type, value } */
function organizationOf({ content }: Element): string[] {
  const [type, value] = elementsOf(content);
  if (type === undefined || value === undefined) return [];
  return Buffer.from(type.content).toString("hex") === organization
    ? [Buffer.from(value.content).toString("utf8")]
    : [];
}

interface Element {
  readonly content: Uint8Array;
}

/** The elements that stand one after the other, up to the first that is cut off. */
function elementsOf(bytes: Uint8Array = new Uint8Array(0)): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 1 < bytes.length;) {
    const { length, start } = lengthAt(bytes, at + 1);
    if (start + length > bytes.length) break;
    elements.push({ content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

/** A length, which lengths of more than 127 bytes are preceded by the number of their own. */
function lengthAt(bytes: Uint8Array, at: number): { readonly length: number; readonly start: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  let length = 0;
  for (let n = 1; n <= count; n++) length = length * 256 + (bytes[at + n] ?? 0);
  return { length, start: at + 1 + count };
}
