/** The server responses that the programs print, normalized so that two servers can be compared. */

/** A response of a server, and the step of the program in which it was received. */
export interface StepResponse {
  readonly step: string;
  readonly answer: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const address = /127\.0\.0\.1:\d+/g;

/**
 * The responses with everything that differs between servers replaced: UIDs and resourceVersions by names in the order of appearance, so
 * that equal ones stay equal; times and addresses. resourceVersions of lists are replaced by a constant, since others write too; entries of
 * managedFields are sorted, because their order on the real server depends on the second of each write.
 */
export function comparable(responses: readonly StepResponse[]): StepResponse[] {
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const named = (names: Map<string, string>, found: string, kind: string): string => {
    const name = names.get(found) ?? `${kind}${names.size + 1}`;
    names.set(found, name);
    return name;
  };
  const text = (given: string): string =>
    given
      .replace(uid, (found) => named(uids, found, "UID"))
      .replace(time, "TIME")
      .replace(address, "ADDRESS");
  const field = (object: Json, key: string): unknown => {
    const item = object[key];
    if (key === "resourceVersion") {
      return object["uid"] === undefined ? "LIST" : named(versions, String(item), "v");
    }
    if (key === "managedFields" && Array.isArray(item)) {
      return item.map((entry) => JSON.stringify(value(entry))).sort();
    }
    return value(item);
  };
  const value = (given: unknown): unknown => {
    if (typeof given === "string") return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (typeof given !== "object" || given === null) return given;
    const object = given as Json;
    return Object.fromEntries(
      Object.keys(object)
        .sort()
        .map((key) => [text(key), field(object, key)]),
    );
  };
  return responses.map(({ step, answer }) => ({ step, answer: value(answer) }));
}

/** The responses that a program printed, one JSON per line. @throws SyntaxError for any other line. */
export function printed(stdout: string): StepResponse[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StepResponse);
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
  readonly ReportEntries?: readonly { readonly Name: string; readonly Value: { readonly AsJSON: string } }[];
}

/** The responses in Ginkgo's report of a suite: those that the specs recorded, and after each spec its result. */
export function reported(report: string): StepResponse[] {
  const suites = JSON.parse(report) as readonly { readonly SpecReports: readonly SpecReport[] }[];
  return suites.flatMap(({ SpecReports }) => SpecReports).flatMap(responsesOfSpec);
}

function responsesOfSpec(spec: SpecReport): StepResponse[] {
  const step = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeType, spec.LeafNodeText].join(" ");
  const recorded = (spec.ReportEntries ?? []).map(({ Name, Value }) => ({
    step: `${step}: ${Name}`,
    answer: JSON.parse(Value.AsJSON) as unknown,
  }));
  return [...recorded, { step, answer: [spec.State, spec.Failure?.Message ?? ""] }];
}
