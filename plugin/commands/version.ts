import { runtimeName } from "../../src/platform/runtime.ts";
import { choice, type Command, command } from "../command.ts";
import { kubernetesRelease, version } from "../version.ts";

export const versionCommand: Command = command({
  name: "version",
  about: "Print the version, and the Kubernetes release whose rules it follows",
  options: { output: choice("-o, --output <format>", "json", ["json"]) },
  connects: false,
  examples: [{ says: "For a bug report", line: "version" }],
  async run({ options }, io) {
    const facts = { version, kubernetesRelease, runtime: runtimeName() };
    io.out.write(
      options.output === "json"
        ? `${JSON.stringify(facts)}\n`
        : `kubectl-reconcile ${version} · rules of Kubernetes ${kubernetesRelease} · ${facts.runtime}\n`,
    );
    return 0;
  },
});
