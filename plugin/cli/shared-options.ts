/** Options that several commands share with the same wording. */
import { flag, type Option, text, texts } from "./command.ts";

/** `-f`, for commands whose `--sandbox` starts with manifests. */
export const sandboxManifests: Option<readonly string[]> = texts(
  "-f, --filename <path>",
  "with --sandbox: put these files, folders, URLs or - (standard input) into it",
);

/** `--load`, for commands whose `--sandbox` can start with a state. */
export const sandboxState: Option<string> = text(
  "--load <file>",
  "with --sandbox: begin with the state that `sandbox --save` wrote to FILE",
);

/** `--once`, for commands that run controllers. */
export const once: Option<true> = flag("--once", "exit when every object has been synced and nothing is left to do");

/** `--since-start`. */
export const sinceStart: Option<true> = flag("--since-start", "show times as seconds since the start");
