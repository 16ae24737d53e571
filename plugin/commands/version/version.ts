import { runtimeName } from "../../../src/platform/runtime.ts";
import { choice, type Command, command, flag } from "../../cli/command.ts";
import { licensesText, thirdPartyPackages } from "./licenses.ts";
import { kubernetesRelease, version } from "../../cli/version.ts";

/** `version`. */
export const versionCommand: Command = command({
  name: "version",
  about: "Print the version, and the Kubernetes release whose rules it follows",
  options: {
    output: choice("-o, --output <format>", "json", ["json"]),
    licenses: flag("--licenses", "print the licences of this program and of the packages in it"),
  },
  examples: [{ comment: "For a bug report", line: "version" }],
  complete: ({ options }) => options,
  async run(options, { io }) {
    if (options.licenses === true) {
      io.out.write(
        options.output === "json" ? `${JSON.stringify(thirdPartyPackages, undefined, 2)}\n` : licensesText(),
      );
      return 0;
    }
    const facts = { version, kubernetesRelease, runtime: runtimeName() };
    io.out.write(
      options.output === "json"
        ? `${JSON.stringify(facts)}\n`
        : `kubectl-reconcile ${version} · rules of Kubernetes ${kubernetesRelease} · ${facts.runtime}\n`,
    );
    return 0;
  },
});
