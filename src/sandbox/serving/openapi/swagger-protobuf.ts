/**
 * `/openapi/v2` as protobuf: kubectl and client-go clients read only this form. Contains only the messages of the schema that the document
 * of a cluster uses.
 * Source: github.com/google/gnostic-models v0.7.0 openapiv2/OpenAPIv2.proto, OpenAPIv2.go.
 */
import { messageOf, type WireWriter } from "../../../api/wire/wire-writer.ts";
import { type Fields, isFields } from "../../meta/object.ts";

/** The destination of a value: a field of the message that `writer` writes. */
interface FieldOf {
  readonly writer: WireWriter;
  readonly number: number;
}

/** Writes a value into a field. Zero values are not written: proto3 does not distinguish them from unset ones. */
type Write = (field: FieldOf, value: unknown) => void;

const text: Write = ({ writer, number }, value) => {
  if (typeof value === "string" && value !== "") writer.text(number, value);
};

const flag: Write = ({ writer, number }, value) => {
  if (value === true) writer.varint(number, 1);
};

const whole: Write = ({ writer, number }, value) => {
  if (typeof value === "number" && value !== 0) writer.varint(number, value);
};

const double: Write = ({ writer, number }, value) => {
  if (typeof value === "number" && value !== 0) writer.double(number, value);
};

/** Message Any: any value, as YAML. JSON is valid YAML. */
const any: Write = ({ writer, number }, value) => {
  const made = messageOf((inner) => inner.text(2, `${JSON.stringify(value)}\n`));
  writer.bytes(number, made);
};

const each =
  (write: Write): Write =>
  (field, value) => {
    for (const item of Array.isArray(value) ? value : [value]) write(field, item);
  };

/** A message whose only field is the value: the proto's way to encode a choice or a list. */
const within =
  (inner: number, write: Write): Write =>
  ({ writer, number }, value) => {
    const made = messageOf((message) => write({ writer: message, number: inner }, value));
    writer.bytes(number, made);
  };

/** A map from names: a list of name-value pairs. */
const named =
  (write: Write): Write =>
  ({ writer, number }, value) => {
    for (const [name, one] of Object.entries(isFields(value) ? value : {})) {
      const pair = messageOf((made) => {
        text({ writer: made, number: 1 }, name);
        write({ writer: made, number: 2 }, one);
      });
      writer.bytes(number, pair);
    }
  };

interface MessageShape {
  /** By JSON name: the field number and its encoding, in number order. */
  readonly fields: Readonly<Record<string, readonly [number: number, write: Write]>>;
  /** The number of the extensions field: for fields whose names begin with `x-`. */
  readonly extensions?: number;
}

const message =
  (shape: MessageShape): Write =>
  ({ writer, number }, value) =>
    writer.bytes(number, shaped(shape, value));

/** The bytes of a message with that shape. */
function shaped({ fields, extensions }: MessageShape, value: unknown): Uint8Array {
  const given: Fields = isFields(value) ? value : {};
  return messageOf((writer) => {
    for (const [name, [number, write]] of Object.entries(fields))
      if (given[name] !== undefined) write({ writer, number }, given[name]);
    if (extensions !== undefined) named(any)({ writer, number: extensions }, extensionsOf(given));
  });
}

const extensionsOf = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith("x-")));

/** The value constraints that schemas and parameters share; ten field numbers from `first`. */
const limits = (first: number): MessageShape["fields"] => ({
  maximum: [first, double],
  exclusiveMaximum: [first + 1, flag],
  minimum: [first + 2, double],
  exclusiveMinimum: [first + 3, flag],
  maxLength: [first + 4, whole],
  minLength: [first + 5, whole],
  pattern: [first + 6, text],
  maxItems: [first + 7, whole],
  minItems: [first + 8, whole],
  uniqueItems: [first + 9, flag],
});

/** Schemas are recursive: `schema` is defined by the time this is called. */
const itself: Write = (field, value) => schema(field, value);

/** A choice: a schema, or whether any value is allowed. */
const valuesSchema = (value: unknown): Write =>
  typeof value === "boolean"
    ? within(2, ({ writer, number }) => writer.varint(number, Number(value)))
    : within(1, itself);

const schema: Write = message({
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    ...limits(7),
    maxProperties: [17, whole],
    minProperties: [18, whole],
    required: [19, each(text)],
    enum: [20, each(any)],
    additionalProperties: [21, (field, value) => valuesSchema(value)(field, value)],
    type: [22, within(1, each(text))],
    items: [23, within(1, each(itself))],
    allOf: [24, each(itself)],
    properties: [25, within(1, named(itself))],
    example: [30, any],
  },
  extensions: 31,
});

const bodyParameter = message({
  fields: { description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] },
  extensions: 6,
});

/** Query and path parameters differ in one field, which shifts the numbers of all that follow. */
const plainParameter = (allowsEmpty: boolean): Write => {
  const next = allowsEmpty ? 6 : 5;
  return message({
    fields: {
      required: [1, flag],
      in: [2, text],
      description: [3, text],
      name: [4, text],
      ...(allowsEmpty && { allowEmptyValue: [5, flag] as const }),
      type: [next, text],
      format: [next + 1, text],
      default: [next + 4, any],
      ...limits(next + 5),
      enum: [next + 15, each(any)],
    },
    extensions: next + 17,
  });
};

const queryParameter = within(3, plainParameter(true));
const pathParameter = within(4, plainParameter(false));

/** ParametersItem, Parameter and NonBodyParameter: three nested choices. */
const parameter: Write = within(1, (field, value) => {
  const place = isFields(value) ? value["in"] : undefined;
  if (place === "body") within(1, bodyParameter)(field, value);
  else within(2, place === "path" ? pathParameter : queryParameter)(field, value);
});

const response = message({
  fields: { description: [1, text], schema: [2, within(1, schema)] },
  extensions: 5,
});

const operation = message({
  fields: {
    tags: [1, each(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, each(parameter)],
    responses: [9, within(1, named(within(1, response)))],
    schemes: [10, each(text)],
    deprecated: [11, flag],
  },
  extensions: 13,
});

const pathItem = message({
  fields: {
    $ref: [1, text],
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, each(parameter)],
  },
  extensions: 10,
});

const apiKey = message({
  fields: { type: [1, text], name: [2, text], in: [3, text], description: [4, text] },
});

const documentShape: MessageShape = {
  fields: {
    swagger: [1, text],
    info: [2, message({ fields: { title: [1, text], version: [2, text] } })],
    paths: [8, within(2, named(pathItem))],
    definitions: [9, within(1, named(schema))],
    security: [12, each(within(1, named(within(1, each(text)))))],
    securityDefinitions: [13, within(1, named(within(2, apiKey)))],
  },
};

/** Encodes the document, given as JSON. */
export function swaggerProtobuf(json: string): Uint8Array {
  const document: unknown = JSON.parse(json);
  return shaped(documentShape, document);
}
