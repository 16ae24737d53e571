import { type Command, command } from "../../cli/command.ts";
import { printShellScript, shells } from "../../cli/completion.ts";
import { UserError } from "../../cli/user-error.ts";

/** `completion`. */
export const completion: Command = command({
  name: "completion",
  about: "Print the script that completes kubectl-reconcile in a shell",
  description:
    "Prints the script that completes kubectl-reconcile in a shell. `kubectl reconcile` is completed by kubectl itself, " +
    "as soon as kubectl_complete-reconcile is on PATH beside kubectl-reconcile.",
  arguments: { name: "<shell>", about: shells.join(", ") },
  argumentCandidates: () => shells.map((value) => ({ value, about: "" })),
  options: {},
  examples: [
    { comment: "In this bash", line: "completion bash > /tmp/c && source /tmp/c" },
    { comment: "In every new zsh", line: 'completion zsh > "${fpath[1]}/_kubectl-reconcile"' },
  ],
  complete({ arguments: [word = ""] }) {
    const shell = shells.find((name) => name === word);
    if (shell !== undefined) return shell;
    throw new UserError(`unknown shell ${JSON.stringify(word)}`, [`known are: ${shells.join(", ")}`]);
  },
  async run(shell, { io }) {
    printShellScript(shell, io);
    return 0;
  },
});
