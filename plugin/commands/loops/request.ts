/** The request of `loops`. */
import type { ProcessTarget } from "../../connections/process-connection.ts";
import type { ReadingFlags } from "../../connections/reading-connection.ts";
import type { ProcessRequest } from "../../process/running.ts";

/** The request with defaults filled in. Words are resolved later, with the server's discovery. */
export interface LoopsRequest {
  /** Kinds; empty for every kind except those that are rewritten by design. */
  readonly words: readonly string[];
  /** The cluster, user and namespace. */
  readonly flags: ReadingFlags;
  /** Objects with more writes per minute are examined. */
  readonly perMinute: number;
  readonly forMs: number | undefined;
  readonly failOnLoop: boolean;
  readonly json: boolean;
}

/** A request to find the loops of a program. */
export interface ProgramLoopsRequest extends LoopsRequest {
  readonly flags: ReadingFlags & ProcessTarget;
  readonly process: ProcessRequest;
}
