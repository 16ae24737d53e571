/** Prints the report of a dry run in the requested format. */
import { messageOf } from "../../../../src/api/error-message.ts";
import { appendTextFile } from "../../../../src/platform/files.ts";
import { oneLine } from "../../../../src/platform/visible-text.ts";
import type { Io } from "../../../cli/io.ts";
import { UserError } from "../../../cli/user-error.ts";
import { styleOf } from "../../../cli/style.ts";
import { githubLines } from "./github.ts";
import { reportAsJson } from "./json.ts";
import { junitLines } from "./junit.ts";
import { markdownLines } from "./markdown.ts";
import type { DryRunReport } from "./report.ts";
import { textLines } from "./text.ts";
import { yamlLines } from "./yaml.ts";

/** The formats of `-o`. */
export type Format = "diff" | "yaml" | "json" | "markdown" | "github" | "junit";

/** Prints the report. @throws UserError if the job's summary cannot be written. */
export async function printReport(report: DryRunReport, format: Format, io: Io): Promise<void> {
  for (const line of linesOf(report, format, io)) io.out.line(line);
  const summary = io.environment["GITHUB_STEP_SUMMARY"] ?? "";
  if (format !== "github" || summary === "") return;
  try {
    await appendTextFile(summary, `${markdownLines(report).map(oneLine).join("\n")}\n`);
  } catch (error) {
    const why = messageOf(error);
    throw new UserError(`cannot write the job's summary to ${summary}: ${why}`, [], { cause: error });
  }
}

function linesOf(report: DryRunReport, format: Format, { out, random }: Io): readonly string[] {
  switch (format) {
    case "diff":
      return textLines(report, styleOf(out));
    case "yaml":
      return yamlLines(report);
    case "json":
      return reportAsJson(report);
    case "markdown":
      return markdownLines(report);
    case "github":
      return githubLines(report, random);
    case "junit":
      return junitLines(report);
  }
}
