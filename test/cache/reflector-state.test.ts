import { describe, expect, test } from "bun:test";
import { TransportError } from "../../src/api/transport.ts";
import {
  nextState,
  type OpeningState,
  type ReflectorEvent,
  type ReflectorState,
} from "../../src/cache/reflector-state.ts";
import { StatusError } from "../../src/api/status-error.ts";
import { brokenConnection, refused } from "../support/fake-lister-watcher.ts";

/** The state machine never reads a watch, so a name stands for one. */
type State = ReflectorState<string>;
type Event = ReflectorEvent<string>;

interface Row {
  readonly name: string;
  readonly state: State;
  readonly event: Event;
  readonly watchList?: boolean;
  readonly next: State;
}

const listing: State = { is: "listing", why: "start", inPages: true };
const streaming: State = { is: "streaming", why: "start" };
const opening = (progressed: boolean, resourceVersion = "5", why: "start" | "resume" = "start"): OpeningState => ({
  is: "opening",
  resourceVersion,
  why,
  progressed,
});
const resuming = (progressed: boolean): OpeningState => opening(progressed, "8", "resume");
const watching = (progressed: boolean): State => ({ is: "watching", watch: "w1", progressed });
const expired = refused(410, "Expired");
const after = (next: State, retryAfterMs?: number): State => {
  if (next.is === "backing off" || next.is === "watching") throw new Error(`nobody waits for being ${next.is}`);
  return { is: "backing off", next, retryAfterMs };
};
const ended = (progressed: boolean): Event => ({ is: "ended", resourceVersion: "8", progressed });
const broke = (error: unknown, progressed = true): Event => ({ is: "broke", error, resourceVersion: "8", progressed });
const failed = (error: unknown): Event => ({ is: "failed", error });
const because = (...reasons: string[]): StatusError =>
  new StatusError(504, { code: 504, details: { causes: reasons.map((reason) => ({ reason })) } });
const tooLarge = because("Other", "ResourceVersionTooLarge");
const relist = (why: "expired" | "relist", inPages = true): State => ({ is: "listing", why, inPages });

const rows: Row[] = [
  {
    name: "after a list, a watch is opened at its version",
    state: listing,
    event: { is: "listed", resourceVersion: "5" },
    next: opening(false),
  },
  {
    name: "a list by watch continues with that watch",
    state: streaming,
    event: { is: "streamed", watch: "w1" },
    next: watching(false),
  },
  {
    name: "an opened watch is read",
    state: opening(false),
    event: { is: "opened", watch: "w1" },
    next: watching(false),
  },
  {
    name: "a resumed watch remembers progress since the list",
    state: resuming(true),
    event: { is: "opened", watch: "w1" },
    next: watching(true),
  },
  {
    name: "a list that fails is retried after a wait",
    state: listing,
    event: failed(brokenConnection),
    next: after({ is: "listing", why: "error", inPages: true }),
  },
  {
    name: "a list is retried when the server says, if it does",
    state: listing,
    event: failed(refused(429, "TooManyRequests", 7000)),
    next: after({ is: "listing", why: "error", inPages: true }, 7000),
  },
  {
    name: "a list that expires between its pages is repeated at once, in one request",
    state: listing,
    event: failed(expired),
    next: relist("expired", false),
  },
  {
    name: "a list in one request that fails is retried in pages, after a wait",
    state: relist("expired", false),
    event: failed(brokenConnection),
    next: after({ is: "listing", why: "error", inPages: true }),
  },
  {
    name: "a list in one request that expires, which it should not, waits as well",
    state: relist("expired", false),
    event: failed(expired),
    next: after({ is: "listing", why: "error", inPages: true }),
  },
  {
    name: "a watch that ended is resumed at once from the last version",
    state: watching(false),
    event: ended(true),
    next: resuming(true),
  },
  {
    name: "a watch that ended within a second without events is resumed after a wait",
    state: watching(true),
    event: ended(false),
    next: after(resuming(true)),
  },
  {
    name: "a watch that broke is resumed at once",
    state: watching(true),
    event: broke(brokenConnection),
    next: resuming(true),
  },
  {
    name: "a watch that cannot be opened keeps its version and its reason, and is retried after a wait",
    state: resuming(true),
    event: failed(new TransportError("refused", { failure: "unreachable" })),
    next: after(resuming(true)),
  },
  {
    name: "429 on a watch keeps the version and waits as long as the server says",
    state: opening(false),
    event: failed(refused(429, "TooManyRequests", 1000)),
    next: after(opening(false), 1000),
  },
  {
    name: "429 in the stream keeps the last version",
    state: watching(false),
    event: broke(refused(429, "TooManyRequests")),
    next: after(resuming(true)),
  },
  {
    name: "500 in the stream keeps the last version",
    state: watching(false),
    event: broke(refused(500, "InternalError")),
    next: after(resuming(true)),
  },
  {
    name: "410 on opening after some progress lists at once",
    state: resuming(true),
    event: failed(expired),
    next: relist("expired"),
  },
  {
    name: "410 in the stream of a watch that brought events, or lasted, lists at once",
    state: watching(false),
    event: broke(expired),
    next: relist("expired"),
  },
  {
    name: "410 right after a list waits, to avoid an endless loop",
    state: watching(false),
    event: broke(expired, false),
    next: after(relist("expired")),
  },
  {
    name: "a version that the server has not reached leads to a new list",
    state: resuming(true),
    event: failed(tooLarge),
    next: relist("relist"),
  },
  {
    name: "a version that the server has not reached waits right after a list",
    state: opening(false),
    event: failed(tooLarge),
    next: after(relist("relist")),
  },
  {
    name: "a refusal for other reasons keeps the version",
    state: watching(true),
    event: broke(because("Other")),
    next: after(resuming(true)),
  },
  {
    name: "a refusal whose details have no cause keeps the version",
    state: watching(true),
    event: broke(new StatusError(504, { code: 504, details: {} })),
    next: after(resuming(true)),
  },
  {
    name: "a watch that broke within a second without events is resumed after a wait",
    state: watching(false),
    event: broke(brokenConnection, false),
    next: after(resuming(false)),
  },
  {
    name: "429 on a list by watch does not mean that the server lacks support",
    state: streaming,
    event: failed(refused(429, "TooManyRequests", 3000)),
    next: after(streaming, 3000),
  },
  {
    name: "with lists by watch, a new list is one, too",
    state: watching(true),
    event: broke(expired),
    watchList: true,
    next: { is: "streaming", why: "expired" },
  },
  {
    name: "a server without lists by watch gets a list in pages",
    state: streaming,
    event: failed(refused(422, "Invalid")),
    next: listing,
  },
  {
    name: "a list by watch that broke is retried after a wait",
    state: streaming,
    event: failed(brokenConnection),
    next: after(streaming),
  },
  {
    name: "after the wait it continues where it stopped",
    state: after(resuming(true)),
    event: { is: "waited" },
    next: resuming(true),
  },
];

const states: readonly State[] = [listing, streaming, opening(false), watching(false), after(opening(false))];
const events: readonly Event[] = [
  { is: "listed", resourceVersion: "5" },
  { is: "streamed", watch: "w1" },
  { is: "opened", watch: "w1" },
  failed(brokenConnection),
  ended(true),
  broke(brokenConnection),
  { is: "waited" },
];
/** The events that can occur in each state. */
const possible: Readonly<Record<State["is"], readonly Event["is"][]>> = {
  listing: ["listed", "failed"],
  streaming: ["streamed", "failed"],
  opening: ["opened", "failed"],
  watching: ["ended", "broke"],
  "backing off": ["waited"],
};

describe("nextState", () => {
  for (const state of states)
    for (const event of events)
      if (!possible[state.is].includes(event.is))
        test(`${event.is} while ${state.is} is an internal error, and throws`, () =>
          expect(() => nextState(state, event, { watchList: false })).toThrow(
            `a Reflector that is ${state.is} cannot have ${event.is}`,
          ));

  for (const { name, state, event, watchList, next } of rows) {
    test(name, () => {
      expect(nextState(state, event, { watchList: watchList ?? false })).toEqual(next);
    });
  }
});
