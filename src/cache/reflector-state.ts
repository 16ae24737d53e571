/** The states of a Reflector, what may happen in each, and what comes of it: a pure function, with no I/O and no time. */
import { isExpired, isTooManyRequests, StatusError } from "../api/status-error.ts";
import type { ListEvent } from "../trace/events.ts";

/** Why a list is made: the first one, a relist after a lost version, … */
export type ListReason = ListEvent["why"];

/** What a Reflector is doing. `nextState` is the only place that decides what follows. */
export type ReflectorState =
  /** Lists all pages. `restarts`: lists in a row that became too old before their last page. */
  | { readonly is: "listing"; readonly why: ListReason; readonly restarts: number }
  /** Lists by a watch that sends everything first, and goes on with that watch. */
  | { readonly is: "streaming"; readonly why: ListReason }
  /** Opens a watch for what follows a version. `fresh`: that version is a list's, nothing has come and no watch lasted since. */
  | { readonly is: "opening"; readonly resourceVersion: string; readonly fresh: boolean }
  | { readonly is: "watching"; readonly resourceVersion: string; readonly fresh: boolean }
  /** Waits, then goes on with `next`; as long as the server asked for, or as the back-off has it. */
  | { readonly is: "backing off"; readonly next: ActiveState; readonly retryAfterMs: number | undefined };

/** A state in which a request is under way. */
export type ActiveState = Exclude<ReflectorState, { readonly is: "backing off" }>;

/** What can happen to a Reflector, as its requests report it. */
export type ReflectorEvent =
  /** A list is complete, and its objects are in the queue. `open`: the watch that brought it goes on. */
  | { readonly is: "listed"; readonly resourceVersion: string; readonly open: boolean }
  | { readonly is: "opened" }
  /**
   * The server ended the watch. `resourceVersion`: of the last frame, or the one it began with. `brief`: it lasted less than a
   * second and brought nothing.
   */
  | { readonly is: "ended"; readonly resourceVersion: string; readonly brief: boolean }
  /** A request was refused or broke, or an ERROR frame came. In a watch with the fields of `ended`. */
  | { readonly is: "failed"; readonly error: unknown; readonly resourceVersion?: string; readonly brief?: boolean }
  | { readonly is: "waited" };

/** The server is behind the version asked for: it was set back, for instance from a backup. */
function isTooLarge(error: unknown): boolean {
  const causes = error instanceof StatusError ? error.status.details?.causes : undefined;
  return causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") === true;
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.retryAfterMs : undefined;
}

function backOff(next: ActiveState, error?: unknown): ReflectorState {
  return { is: "backing off", next, retryAfterMs: retryAfterOf(error) };
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
 * - A server that does not know lists by watch is asked for pages.
 *
 * Source: client-go v0.36 tools/cache/reflector.go; differs: there every failure of a watch but 429 and a refused connection
 * means a new list; here only a lost version does.
 */
export function nextState(
  state: ReflectorState,
  event: ReflectorEvent,
  options: { readonly watchList: boolean },
): ReflectorState {
  switch (event.is) {
    case "listed": {
      const { resourceVersion } = event;
      return { is: event.open ? "watching" : "opening", resourceVersion, fresh: true };
    }
    case "opened":
      return state.is === "opening" ? { ...state, is: "watching" } : state;
    case "waited":
      return state.is === "backing off" ? state.next : state;
    case "ended":
    case "failed":
      return afterEnd(state, event, options.watchList);
  }
}

/** The state to begin in, and the one that a lost version leads back to. */
export function startState(why: ListReason, watchList: boolean): ActiveState {
  return watchList ? { is: "streaming", why } : { is: "listing", why, restarts: 0 };
}

/** A list or a watch is over: `error` is undefined where a server ended a watch. */
function afterEnd(
  state: ReflectorState,
  event: { readonly error?: unknown; readonly resourceVersion?: string; readonly brief?: boolean },
  watchList: boolean,
): ReflectorState {
  const { error } = event;
  switch (state.is) {
    case "listing": {
      if (!isExpired(error)) return backOff({ ...state, why: "error", restarts: 0 }, error);
      const again: ActiveState = { is: "listing", why: "expired", restarts: state.restarts + 1 };
      return state.restarts === 0 ? again : backOff(again, error);
    }
    case "streaming":
      if (isTooManyRequests(error) || !(error instanceof StatusError)) return backOff(state, error);
      return { is: "listing", why: state.why, restarts: 0 };
    case "opening":
    case "watching": {
      const fresh = state.fresh && event.brief !== false;
      if (isExpired(error) || isTooLarge(error)) {
        const list = startState(isExpired(error) ? "expired" : "relist", watchList);
        return fresh ? backOff(list, error) : list;
      }
      const resourceVersion = event.resourceVersion ?? state.resourceVersion;
      const resume: ActiveState = { is: "opening", resourceVersion, fresh };
      // A refusal is no reason to come back at once; a connection that worked and broke is.
      const refused = error instanceof StatusError || event.brief !== false;
      return refused ? backOff(resume, error) : resume;
    }
    case "backing off":
      return state;
  }
}
