/** The interface between forwarding and observing: one request and its response. */

/** A request as it is forwarded. */
export interface RequestHead {
  readonly method: string;
  /** Starts with a slash; percent-encoded; without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** With lower-case names, without the process's credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** In ms since 1970. */
  readonly at: number;
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
}

/** How a response ended. `left`: the process closed the connection. */
export type ExchangeEnd =
  { readonly is: "whole" } | { readonly is: "left" } | { readonly is: "failed"; readonly error: string };

/**
 * Observes one exchange. Its methods are called while the bytes are forwarded: `head` at most once, then `piece` for each chunk, and `end`
 * exactly once. They must return quickly, so they keep the bytes for later, and must not modify them.
 */
export interface ExchangeObserver {
  head(head: ResponseHead, at: number): void;
  piece(bytes: Uint8Array, at: number): void;
  end(how: ExchangeEnd, at: number): void;
}

/** Called with each request that is forwarded. */
export type Observe = (request: RequestHead) => ExchangeObserver;
