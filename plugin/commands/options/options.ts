import { type Command, command } from "../../cli/command.ts";
import { globalsText } from "../../cli/command-line.ts";
import { globals } from "../../connections/globals.ts";

/** `options`. */
export const optionsCommand: Command = command({
  name: "options",
  about: "List kubectl's own options, which choose the cluster and the login",
  options: {},
  examples: [{ comment: "They go before or after the command", line: "--context dev -n shop why deploy/web" }],
  complete: () => undefined,
  run(_, { io }) {
    const text = globalsText(globals, Math.min(io.out.columns ?? 100, 120));
    io.out.write(`These are kubectl's own options. Every command that connects to a cluster takes them:\n\n${text}`);
    return Promise.resolve(0);
  },
});
