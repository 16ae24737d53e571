/** The request of `watch`. */
import type { Selector } from "../../../src/api/labels.ts";
import type { Selectors } from "../../../src/client/api/lister-watcher.ts";
import type { DeltaType } from "../../../src/trace/events.ts";
import type { ReadingFlags } from "../../connections/reading-connection.ts";
import type { WatchScreenOptions } from "./screen.ts";

/** The request with defaults filled in. Words are resolved later, with the server's discovery. */
export interface WatchRequest {
  readonly words: readonly string[];
  /** The cluster, user and namespace. */
  readonly flags: ReadingFlags;
  readonly shows: WatchScreenOptions["shows"];
  /** An option that was given and has no effect with --live. */
  readonly contradictsLive: string | undefined;
  /** Undefined for deltas of every type. */
  readonly types: ReadonlySet<DeltaType> | undefined;
  /** Undefined for every object. */
  readonly selector: Selector | undefined;
  /** The selectors as sent to the server. */
  readonly selectors: Selectors;
  readonly resyncMs: number | undefined;
  readonly forMs: number | undefined;
  readonly count: number | undefined;
  readonly once: boolean;
  readonly sinceStart: boolean;
}
