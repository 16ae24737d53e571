/** What `watch` is asked to show. */
import type { Selector } from "../../../src/api/labels.ts";
import type { Selectors } from "../../../src/client/api/lister-watcher.ts";
import type { DeltaType } from "../../../src/trace/events.ts";
import type { ReadingFlags } from "../../connections/reading-connection.ts";
import type { WatchScreenOptions } from "./screen.ts";

/** The request: flags read, defaults filled in. What the words name is asked of the server. */
export interface WatchRequest {
  readonly words: readonly string[];
  /** Which cluster, as whom, and where in it. */
  readonly flags: ReadingFlags;
  readonly shows: WatchScreenOptions["shows"];
  /** An option that was given and that --live has no use for. */
  readonly contradictsLive: string | undefined;
  /** Undefined: deltas of every type. */
  readonly types: ReadonlySet<DeltaType> | undefined;
  /** Undefined: every object. */
  readonly selector: Selector | undefined;
  /** As the server is asked. */
  readonly selectors: Selectors;
  readonly resyncMs: number | undefined;
  readonly forMs: number | undefined;
  readonly count: number | undefined;
  readonly once: boolean;
  readonly sinceStart: boolean;
}
