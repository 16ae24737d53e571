import { describe, expect, test } from "bun:test";
import { TransportError } from "../../src/api/transport.ts";
import { nextState, type ReflectorEvent, type ReflectorState } from "../../src/cache/reflector-state.ts";
import { StatusError } from "../../src/api/status-error.ts";
import { brokenConnection, refused } from "../support/fake-lister-watcher.ts";

interface Row {
  readonly name: string;
  readonly state: ReflectorState;
  readonly event: ReflectorEvent;
  readonly watchList?: boolean;
  readonly next: ReflectorState;
}

const listing: ReflectorState = { is: "listing", why: "start", restarts: 0 };
const opening = (fresh: boolean, resourceVersion = "5"): ReflectorState & { is: "opening" } => ({
  is: "opening",
  resourceVersion,
  fresh,
});
const watching = (fresh: boolean): ReflectorState => ({ ...opening(fresh), is: "watching" });
const expired = refused(410, "Expired");
const after = (next: ReflectorState, retryAfterMs?: number): ReflectorState => {
  if (next.is === "backing off") throw new Error("not after another wait");
  return { is: "backing off", next, retryAfterMs };
};
const ended = (brief: boolean): ReflectorEvent => ({ is: "ended", resourceVersion: "8", brief });
const failed = (error: unknown, brief = false): ReflectorEvent => ({
  is: "failed",
  error,
  resourceVersion: "8",
  brief,
});
const because = (...reasons: string[]): StatusError =>
  new StatusError(504, { code: 504, details: { causes: reasons.map((reason) => ({ reason })) } });
const tooLarge = because("Other", "ResourceVersionTooLarge");
const relist = (why: "expired" | "relist", restarts = 0): ReflectorState => ({ is: "listing", why, restarts });

const rows: Row[] = [
  {
    name: "after a list a watch is opened at its version",
    state: listing,
    event: { is: "listed", resourceVersion: "5", open: false },
    next: opening(true),
  },
  {
    name: "a list by watch goes on with that watch",
    state: { is: "streaming", why: "start" },
    event: { is: "listed", resourceVersion: "5", open: true },
    next: watching(true),
  },
  { name: "an opened watch is read", state: opening(true), event: { is: "opened" }, next: watching(true) },
  {
    name: "a list that fails is tried again after a wait",
    state: listing,
    event: { is: "failed", error: brokenConnection },
    next: after({ is: "listing", why: "error", restarts: 0 }),
  },
  {
    name: "a list is tried again when the server said, if it did",
    state: listing,
    event: { is: "failed", error: refused(429, "TooManyRequests", 7000) },
    next: after({ is: "listing", why: "error", restarts: 0 }, 7000),
  },
  {
    name: "a list that became too old between its pages begins anew at once",
    state: listing,
    event: { is: "failed", error: expired },
    next: relist("expired", 1),
  },
  {
    name: "the second time in a row it waits",
    state: relist("expired", 1),
    event: { is: "failed", error: expired },
    next: after(relist("expired", 2)),
  },
  {
    name: "a watch that ended is resumed at once from the last version",
    state: watching(true),
    event: ended(false),
    next: opening(false, "8"),
  },
  {
    name: "a watch that ended within a second, with nothing, is resumed after a wait",
    state: watching(false),
    event: ended(true),
    next: after(opening(false, "8")),
  },
  {
    name: "a watch that broke is resumed at once",
    state: watching(false),
    event: failed(brokenConnection),
    next: opening(false, "8"),
  },
  {
    name: "a watch that cannot be opened keeps its version and waits",
    state: opening(false),
    event: { is: "failed", error: new TransportError("refused", { failure: "unreachable" }) },
    next: after(opening(false)),
  },
  {
    name: "429 on a watch keeps the version and waits as told",
    state: opening(true),
    event: { is: "failed", error: refused(429, "TooManyRequests", 1000) },
    next: after(opening(true), 1000),
  },
  {
    name: "429 in the stream keeps the last version",
    state: watching(true),
    event: failed(refused(429, "TooManyRequests")),
    next: after(opening(false, "8")),
  },
  {
    name: "500 in the stream keeps the last version",
    state: watching(true),
    event: failed(refused(500, "InternalError")),
    next: after(opening(false, "8")),
  },
  {
    name: "410 on opening after some progress lists at once",
    state: opening(false),
    event: { is: "failed", error: expired },
    next: relist("expired"),
  },
  {
    name: "410 in the stream of a watch that brought something, or lasted, lists at once",
    state: watching(true),
    event: failed(expired),
    next: relist("expired"),
  },
  {
    name: "410 right after a list waits, so that it does not go round for ever",
    state: watching(true),
    event: failed(expired, true),
    next: after(relist("expired")),
  },
  {
    name: "a version that the server has not reached means a new list",
    state: opening(false),
    event: { is: "failed", error: tooLarge },
    next: relist("relist"),
  },
  {
    name: "a version that the server has not reached waits right after a list",
    state: opening(true),
    event: { is: "failed", error: tooLarge },
    next: after(relist("relist")),
  },
  {
    name: "a refusal for other causes keeps the version",
    state: watching(false),
    event: failed(because("Other")),
    next: after(opening(false, "8")),
  },
  {
    name: "a refusal with details that name no cause keeps the version",
    state: watching(false),
    event: failed(new StatusError(504, { code: 504, details: {} })),
    next: after(opening(false, "8")),
  },
  {
    name: "a watch that broke within a second, with nothing, is resumed after a wait",
    state: watching(true),
    event: failed(brokenConnection, true),
    next: after(opening(true, "8")),
  },
  {
    name: "429 on a list by watch is no sign that the server cannot",
    state: { is: "streaming", why: "start" },
    event: { is: "failed", error: refused(429, "TooManyRequests", 3000) },
    next: after({ is: "streaming", why: "start" }, 3000),
  },
  {
    name: "with lists by watch a new list is one too",
    state: watching(false),
    event: failed(expired),
    watchList: true,
    next: { is: "streaming", why: "expired" },
  },
  {
    name: "a server without lists by watch is asked for pages",
    state: { is: "streaming", why: "start" },
    event: { is: "failed", error: refused(422, "Invalid") },
    next: listing,
  },
  {
    name: "a list by watch that broke is tried again after a wait",
    state: { is: "streaming", why: "start" },
    event: { is: "failed", error: brokenConnection },
    next: after({ is: "streaming", why: "start" }),
  },
  {
    name: "after the wait it goes on where it was",
    state: after(opening(false)),
    event: { is: "waited" },
    next: opening(false),
  },
];

/** What cannot happen in a state changes nothing. */
const strays: readonly { readonly state: ReflectorState; readonly event: ReflectorEvent }[] = [
  { state: listing, event: { is: "opened" } },
  { state: watching(true), event: { is: "waited" } },
  { state: after(opening(true)), event: { is: "failed", error: brokenConnection } },
];

describe("nextState", () => {
  for (const { state, event } of strays)
    test(`${event.is} while ${state.is} changes nothing`, () =>
      expect(nextState(state, event, { watchList: false })).toEqual(state));

  for (const { name, state, event, watchList, next } of rows) {
    test(name, () => {
      expect(nextState(state, event, { watchList: watchList ?? false })).toEqual(next);
    });
  }
});
