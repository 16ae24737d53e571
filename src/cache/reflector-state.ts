/** The state machine of a Reflector: its states, events and transitions, as a pure function without I/O and time. */
import { isExpired, isTooManyRequests, StatusError } from "../api/status-error.ts";
import type { ListEvent } from "../trace/events.ts";

/** Why a list is made: the first one, a relist after a lost version, … */
export type ListReason = ListEvent["why"];

/** A state in which a request is made. */
export type RequestState =
  /** Lists all objects. `inPages`: false after a list expired before its last page; then one request returns everything. */
  | { readonly is: "listing"; readonly why: ListReason; readonly inPages: boolean }
  /** Lists by a watch with initial events (WatchList), and continues with that watch. */
  | { readonly is: "streaming"; readonly why: ListReason }
  | OpeningState;

/** Opens a watch from a resourceVersion. */
export interface OpeningState {
  readonly is: "opening";
  readonly resourceVersion: string;
  /** `start`: the version is that of a list; `resume`: that at which another watch ended. */
  readonly why: "start" | "resume";
  /** Whether a watch has received a frame, or stayed open for a second, since the last list. If not, the server may expire versions at once. */
  readonly progressed: boolean;
}

/**
 * The state of a Reflector; only `nextState` decides what follows. W is the open watch, which this module only passes on; it tracks its own
 * resourceVersion.
 */
export type ReflectorState<W> =
  | RequestState
  /** Reads a watch to its end. `progressed`: as in OpeningState, without this watch. */
  | { readonly is: "watching"; readonly watch: W; readonly progressed: boolean }
  /** Waits for as long as the server requested, or for the backoff, then continues with `next`. */
  | { readonly is: "backing off"; readonly next: RequestState; readonly retryAfterMs: number | undefined };

/** The events of a Reflector, each possible only in certain states. */
export type ReflectorEvent<W> =
  /** Listing: the last page was received, and all objects are in the queue. */
  | { readonly is: "listed"; readonly resourceVersion: string }
  /** Streaming: all initial events were received, all objects are in the queue, and the watch continues. */
  | { readonly is: "streamed"; readonly watch: W }
  /** Opening: the watch is open. */
  | { readonly is: "opened"; readonly watch: W }
  /** Listing, streaming, opening: a request was refused, or its connection broke. */
  | { readonly is: "failed"; readonly error: unknown }
  /** Watching: the server ended the watch at this version. `progressed`: it received a frame or lasted a second. */
  | { readonly is: "ended"; readonly resourceVersion: string; readonly progressed: boolean }
  /** Watching: the connection broke, or an ERROR frame was received. Otherwise like `ended`. */
  | { readonly is: "broke"; readonly error: unknown; readonly resourceVersion: string; readonly progressed: boolean }
  /** Backing off: the time is over. */
  | { readonly is: "waited" };

/** Whether the server is behind the requested version, for example because it was restored from a backup. */
function isTooLarge(error: unknown): boolean {
  const causes = error instanceof StatusError ? error.status.details?.causes : undefined;
  return causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") === true;
}

function backOff(next: RequestState, error: unknown): ReflectorState<never> {
  const retryAfterMs = error instanceof StatusError ? error.retryAfterMs : undefined;
  return { is: "backing off", next, retryAfterMs };
}

/**
 * The transition function.
 *
 * - A list that fails is retried after a wait. A list that expires between its pages (410) is repeated at once in one request without a
 *   limit: a client slower than the server's compaction would never reach the last page.
 * - A watch that cannot be opened, ends or breaks is resumed from the last version seen: at once if it had progressed, otherwise after a
 *   wait.
 * - A version that the server no longer has (410), or does not have yet, leads to a new list: at once if a watch has progressed since the
 *   last list, otherwise after a wait, so that a server that expires versions at once is not listed in a loop.
 * - If the server has no WatchList, pages are listed instead.
 *
 * Source: client-go v0.36 tools/cache/reflector.go, tools/pager/pager.go (FullListIfExpired); differs: upstream lists again after every
 * failure of a watch except 429 and a refused connection; here only a lost version leads to a list.
 *
 * @throws Error for an event that is impossible in the state, which is a bug in the Reflector.
 */
export function nextState<W>(
  state: ReflectorState<W>,
  event: ReflectorEvent<W>,
  options: { readonly watchList: boolean },
): ReflectorState<W> {
  switch (state.is) {
    case "listing":
      if (event.is === "failed") return afterFailedList(state, event.error);
      if (event.is !== "listed") break;
      return { is: "opening", resourceVersion: event.resourceVersion, why: "start", progressed: false };
    case "streaming":
      if (event.is === "failed") return afterFailedStream(state, event.error);
      if (event.is !== "streamed") break;
      return { is: "watching", watch: event.watch, progressed: false };
    case "opening":
      if (event.is === "failed")
        return afterLostWatch(state, { ...options, error: event.error, resume: "after a wait" });
      if (event.is !== "opened") break;
      return { is: "watching", watch: event.watch, progressed: state.progressed };
    case "watching": {
      if (event.is !== "ended" && event.is !== "broke") break;
      const { resourceVersion } = event;
      const progressed = state.progressed || event.progressed;
      const error = event.is === "broke" ? event.error : undefined;
      // Resume at once only if the connection worked and broke, not after a refusal.
      const resume = event.progressed && !(error instanceof StatusError) ? "at once" : "after a wait";
      return afterLostWatch(
        { is: "opening", resourceVersion, why: "resume", progressed },
        { ...options, error, resume },
      );
    }
    case "backing off":
      if (event.is !== "waited") break;
      return state.next;
  }
  throw new Error(`a Reflector that is ${state.is} cannot have ${event.is}`);
}

/** The initial state, and the one after a lost version. */
export function startState(why: ListReason, watchList: boolean): RequestState {
  return watchList ? { is: "streaming", why } : { is: "listing", why, inPages: true };
}

function afterFailedList(state: RequestState & { is: "listing" }, error: unknown): ReflectorState<never> {
  if (state.inPages && isExpired(error)) return { is: "listing", why: "expired", inPages: false };
  return backOff({ is: "listing", why: "error", inPages: true }, error);
}

function afterFailedStream(state: RequestState & { is: "streaming" }, error: unknown): ReflectorState<never> {
  if (isTooManyRequests(error) || !(error instanceof StatusError)) return backOff(state, error);
  return { is: "listing", why: state.why, inPages: true };
}

interface LostWatch {
  /** Undefined if the server ended the watch. */
  readonly error: unknown;
  readonly resume: "at once" | "after a wait";
  readonly watchList: boolean;
}

/** The state after a watch could not be opened, ended or broke. `opening`: the state that would resume it. */
function afterLostWatch(opening: OpeningState, { error, resume, watchList }: LostWatch): ReflectorState<never> {
  if (isExpired(error) || isTooLarge(error)) {
    const list = startState(isExpired(error) ? "expired" : "relist", watchList);
    return opening.progressed ? list : backOff(list, error);
  }
  return resume === "at once" ? opening : backOff(opening, error);
}
