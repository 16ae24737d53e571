/** Reads the JUnit report of `bun test`: its only machine-readable format. */

export interface TestResult {
  /** From the top of the work tree. */
  readonly file: string;
  /** The groups that contain it, outermost first, and its own name. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

const testcase = /<testcase\s([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/** Bun's name for a `beforeAll` or similar hook: a failing one is a failure, one skipped with its group is not a test. */
const hook = "(unnamed)";

/** The tests of a report, in its order. */
export function readJunit(xml: string): TestResult[] {
  const results = [...xml.matchAll(testcase)].map(([, attributes = "", inside = ""]) => {
    const group = attribute(attributes, "classname");
    const name = attribute(attributes, "name");
    return {
      file: attribute(attributes, "file"),
      name: group === "" ? name : `${group} > ${name}`,
      outcome: outcomeOf(inside),
    };
  });
  return results.filter(({ name, outcome }) => !(outcome === "skipped" && name.endsWith(hook)));
}

function outcomeOf(inside: string): TestResult["outcome"] {
  if (/<(?:failure|error)\b/.test(inside)) return "failed";
  return inside.includes("<skipped") ? "skipped" : "passed";
}

function attribute(attributes: string, name: string): string {
  return unescape(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => entities[name] ?? whole);
}
