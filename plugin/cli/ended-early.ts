/** The exit code of a command that a signal ended before it had seen anything. */
import { cannotTellExitCode } from "../../src/verdict/verdict.ts";
import type { Session } from "./session.ts";

/** With `--fail-on`, nothing was seen of what it asks about. */
export function endedBeforeStart(failOn: string | undefined, session: Session): number {
  if (failOn === undefined) return 0;
  session.warn(`cannot tell about --fail-on ${failOn}: ended before everything was listed`);
  return cannotTellExitCode;
}
