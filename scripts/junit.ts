/** Reads the JUnit report of `bun test`: its one form that a program can count. */

export interface TestResult {
  /** From the top of the work tree. */
  readonly file: string;
  /** Of the groups that it stands in, outermost first, and its own name. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

const testcase = /<testcase\s([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/** The tests of a report, in its order. */
export function readJunit(xml: string): TestResult[] {
  return [...xml.matchAll(testcase)].map(([, attributes = "", inside = ""]) => {
    const group = attribute(attributes, "classname");
    const name = attribute(attributes, "name");
    return {
      file: attribute(attributes, "file"),
      name: group === "" ? name : `${group} > ${name}`,
      outcome: inside.includes("<failure") || inside.includes("<error") ? "failed" : outcomeOfPassed(inside),
    };
  });
}

function outcomeOfPassed(inside: string): TestResult["outcome"] {
  return inside.includes("<skipped") ? "skipped" : "passed";
}

function attribute(attributes: string, name: string): string {
  return unescape(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => entities[name] ?? whole);
}
