/** `format.dns1123Label().validate(text)`. Source: apiserver v0.36 pkg/cel/library/format.go, pkg/cel/format.go. */
import {
  dns1035Problems,
  labelKeyProblems,
  labelProblems,
  labelValueProblems,
  subdomainProblems,
} from "../../../api/label-names.ts";
import { ArrayList } from "../values/collections.ts";
import { parseDate } from "../values/time.ts";
import { type CelType, objectOf } from "../values/types.ts";
import { type CelError, Opaque, Optional, optionalNone, overloadError, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards, type Signatures } from "./function.ts";
import { readRequestUri } from "./go-url.ts";

/** The type of formats. */
export const formatType: CelType = objectOf("kubernetes.NamedFormat");

interface Format {
  readonly name: string;
  readonly problems: (text: string) => readonly string[];
  /** The length of an equivalent pattern, which determines the cost. */
  readonly patternLength: number;
}

/** A format. */
export class FormatValue extends Opaque {
  readonly type: CelType = formatType;
  readonly format: Format;

  constructor(format: Format) {
    super();
    this.format = format;
  }

  equal(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.format.name === other.format.name : overloadError(other);
  }

  text(): string {
    return this.format.name;
  }
}

type Problems = Format["problems"];

/** For prefixes of generated names: a trailing dash counts as a letter. */
const begins =
  (problems: Problems): Problems =>
  (text) =>
    problems(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

const matching =
  (isValid: (text: string) => boolean, problem: string): Problems =>
  (text) =>
    isValid(text) ? [] : [problem];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

/** A date, `T` and a time; anything after a second `T` is ignored. */
function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time ?? "");
  if (text.length < 4 || parseDate(date) === undefined || match === null) return false;
  const [, hour = "", minute = "", second = ""] = match;
  return hour <= "23" && minute <= "59" && second <= "59";
}

const uriProblems: Problems = (text) => {
  const read = readRequestUri(text);
  return "problem" in read ? [read.problem] : [];
};

const formats: Readonly<Record<string, Format>> = {
  dns1123Label: { name: "DNS1123Label", problems: labelProblems, patternLength: 30 },
  dns1123Subdomain: { name: "DNS1123Subdomain", problems: subdomainProblems, patternLength: 60 },
  dns1035Label: { name: "DNS1035Label", problems: dns1035Problems, patternLength: 30 },
  qualifiedName: { name: "QualifiedName", problems: labelKeyProblems, patternLength: 60 },
  dns1123LabelPrefix: { name: "DNS1123LabelPrefix", problems: begins(labelProblems), patternLength: 30 },
  dns1123SubdomainPrefix: { name: "DNS1123SubdomainPrefix", problems: begins(subdomainProblems), patternLength: 60 },
  dns1035LabelPrefix: { name: "DNS1035LabelPrefix", problems: begins(dns1035Problems), patternLength: 30 },
  labelValue: { name: "LabelValue", problems: labelValueProblems, patternLength: 40 },
  uri: { name: "URI", problems: uriProblems, patternLength: 1103 },
  uuid: {
    name: "uuid",
    problems: matching((text) => uuid.test(text), "does not match the UUID format"),
    patternLength: 70,
  },
  byte: { name: "byte", problems: matching((text) => base64.test(text), "invalid base64"), patternLength: 84 },
  date: {
    name: "date",
    problems: matching((text) => parseDate(text) !== undefined, "invalid date"),
    patternLength: 71,
  },
  datetime: { name: "datetime", problems: matching(isDateTime, "invalid datetime"), patternLength: 71 },
};

const { string } = guards;
const isFormat = (value: Value | undefined): value is FormatValue => value instanceof FormatValue;

const constants = Object.fromEntries(
  Object.entries(formats).map(([name, one]): [string, Signatures] => {
    const value = new FormatValue(one);
    return [`format.${name}`, { [`format.${name}`]: ["() Format", () => value] }];
  }),
);

/** `format.named`, `validate` and the formats. */
export const formatFunctions: readonly FunctionDecl[] = declare(
  {
    validate: {
      "format-validate": [
        "Format.(string) optional(list(string))",
        bind<[FormatValue, string]>([isFormat, string], ({ format }, text) => {
          const problems = format.problems(text);
          return problems.length === 0 ? optionalNone : new Optional(new ArrayList([...problems]));
        }),
      ],
    },
    "format.named": {
      "format-named": [
        "(string) optional(Format)",
        bind<[string]>([string], (name) => {
          const found = Object.hasOwn(formats, name) ? formats[name] : undefined;
          return found === undefined ? optionalNone : new Optional(new FormatValue(found));
        }),
      ],
    },
    ...constants,
  },
  { Format: formatType },
);
