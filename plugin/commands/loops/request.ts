/** What `loops` is asked to find. */
import type { ProcessTarget } from "../../connections/process-connection.ts";
import type { ReadingFlags } from "../../connections/reading-connection.ts";
import type { ProcessRequest } from "../../process/running.ts";

/** The request: flags read, defaults filled in. What the words name is asked of the server. */
export interface LoopsRequest {
  /** Kinds; none: every kind but those that are rewritten by design. */
  readonly words: readonly string[];
  /** Which cluster, as whom, and where in it. */
  readonly flags: ReadingFlags;
  /** Writes a minute from which on an object is examined. */
  readonly perMinute: number;
  readonly forMs: number | undefined;
  readonly failOnLoop: boolean;
  readonly json: boolean;
}

/** A program whose loops are looked for. */
export interface ProgramLoopsRequest extends LoopsRequest {
  readonly flags: ReadingFlags & ProcessTarget;
  readonly process: ProcessRequest;
}
