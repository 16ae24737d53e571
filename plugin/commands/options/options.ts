import { type Command, command } from "../../cli/command.ts";
import { globalsText } from "../../cli/command-line.ts";
import { globals } from "../../connections/globals.ts";

export const optionsCommand: Command = command({
  name: "options",
  about: "List the options that choose the cluster and the login, which every command takes",
  options: {},
  connects: false,
  examples: [{ says: "They stand behind the command or before it", line: "--context dev -n shop why deploy/web" }],
  run(_, io) {
    const text = globalsText(globals, Math.min(io.out.columns ?? 100, 120));
    io.out.write(`These options are kubectl's, and every command that asks a cluster takes them:\n\n${text}`);
    return Promise.resolve(0);
  },
});
