/** The states of a Reflector, what may happen in each, and what comes of it: a pure function, with no I/O and no time. */
import { isExpired, isTooManyRequests, StatusError } from "../api/status-error.ts";
import type { ListEvent } from "../trace/events.ts";

/** Why a list is made: the first one, a relist after a lost version, … */
export type ListReason = ListEvent["why"];

/** A state in which a request is made. */
export type RequestState =
  /** Lists all pages. `restarts`: lists in a row that became too old before their last page. */
  | { readonly is: "listing"; readonly why: ListReason; readonly restarts: number }
  /** Lists by a watch that sends everything first, and goes on with that watch. */
  | { readonly is: "streaming"; readonly why: ListReason }
  | OpeningState;

/** Opens a watch for what follows a version. */
export interface OpeningState {
  readonly is: "opening";
  readonly resourceVersion: string;
  /** `start`: the version is a list's; `resume`: it is where another watch ended. */
  readonly why: "start" | "resume";
  /** Since the last list a watch brought a frame or stayed open for a second. If not, the server may forget versions at once. */
  readonly progressed: boolean;
}

/**
 * What a Reflector is doing; `nextState` is the only place that decides what follows. W is the watch that it reads, which this
 * module only passes on: the version that it has come to is its own.
 */
export type ReflectorState<W> =
  | RequestState
  /** Reads a watch to its end. `progressed`: as of OpeningState, without this watch. */
  | { readonly is: "watching"; readonly watch: W; readonly progressed: boolean }
  /** Waits, then goes on with `next`: as long as the server asked for, or as the back-off says. */
  | { readonly is: "backing off"; readonly next: RequestState; readonly retryAfterMs: number | undefined };

/** What can happen to a Reflector, each in certain states only. */
export type ReflectorEvent<W> =
  /** Listing: the last page has come, and all objects are in the queue. */
  | { readonly is: "listed"; readonly resourceVersion: string }
  /** Streaming: everything has come, all objects are in the queue, and the watch goes on. */
  | { readonly is: "streamed"; readonly watch: W }
  /** Opening: the watch is open. */
  | { readonly is: "opened"; readonly watch: W }
  /** Listing, streaming, opening: a request was refused, or its connection broke. */
  | { readonly is: "failed"; readonly error: unknown }
  /** Watching: the server ended the watch, which had come to this version. `progressed`: it brought a frame or lasted a second. */
  | { readonly is: "ended"; readonly resourceVersion: string; readonly progressed: boolean }
  /** Watching: the connection broke, or an ERROR frame came. Otherwise as `ended`. */
  | { readonly is: "broke"; readonly error: unknown; readonly resourceVersion: string; readonly progressed: boolean }
  /** Backing off: the time is over. */
  | { readonly is: "waited" };

/** The server is behind the version asked for: it was set back, for instance from a backup. */
function isTooLarge(error: unknown): boolean {
  const causes = error instanceof StatusError ? error.status.details?.causes : undefined;
  return causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") === true;
}

function backOff(next: RequestState, error: unknown): ReflectorState<never> {
  const retryAfterMs = error instanceof StatusError ? error.retryAfterMs : undefined;
  return { is: "backing off", next, retryAfterMs };
}

/**
 * What comes next.
 *
 * - A list that fails is tried again after a wait. One that became too old between its pages (410) begins anew at once, the
 *   second time in a row after a wait.
 * - A watch that cannot be opened, ends or breaks is resumed from the last version seen: at once if it had brought something or
 *   lasted a second, after a wait otherwise.
 * - A version that the server no longer has (410), or does not have yet, means a new list: at once if anything came since the last
 *   list, or a watch lasted a second; after a wait otherwise, so that a server which forgets at once is not asked without end.
 * - A server without WatchList is listed in pages.
 *
 * Source: client-go v0.36 tools/cache/reflector.go; differs: there every failure of a watch but 429 and a refused connection
 * means a new list; here only a lost version does.
 *
 * @throws Error for an event that cannot happen in the state: the Reflector has a fault.
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
      // A refusal is no reason to come back at once; a connection that worked and broke is.
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

/** The state to begin in, and the one that a lost version leads back to. */
export function startState(why: ListReason, watchList: boolean): RequestState {
  return watchList ? { is: "streaming", why } : { is: "listing", why, restarts: 0 };
}

function afterFailedList(state: RequestState & { is: "listing" }, error: unknown): ReflectorState<never> {
  if (!isExpired(error)) return backOff({ ...state, why: "error", restarts: 0 }, error);
  const again: RequestState = { is: "listing", why: "expired", restarts: state.restarts + 1 };
  return state.restarts === 0 ? again : backOff(again, error);
}

function afterFailedStream(state: RequestState & { is: "streaming" }, error: unknown): ReflectorState<never> {
  if (isTooManyRequests(error) || !(error instanceof StatusError)) return backOff(state, error);
  return { is: "listing", why: state.why, restarts: 0 };
}

interface LostWatch {
  /** Undefined if the server ended the watch. */
  readonly error: unknown;
  readonly resume: "at once" | "after a wait";
  readonly watchList: boolean;
}

/** `opening`: how the watch would be resumed. */
function afterLostWatch(opening: OpeningState, { error, resume, watchList }: LostWatch): ReflectorState<never> {
  if (isExpired(error) || isTooLarge(error)) {
    const list = startState(isExpired(error) ? "expired" : "relist", watchList);
    return opening.progressed ? list : backOff(list, error);
  }
  return resume === "at once" ? opening : backOff(opening, error);
}
