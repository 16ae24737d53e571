/** One request and its response, as they pass the door. */

/** A request, before anything of its response is known. */
export interface RequestHead {
  readonly method: string;
  /** Begins with a slash, escaped, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names in lower case; without the process's credentials. */
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

/** How a response ended: whole, because the process closed the connection, or with an error. */
export type ExchangeEnd =
  { readonly is: "whole" } | { readonly is: "left" } | { readonly is: "failed"; readonly error: string };

/**
 * Sees one exchange pass. Its methods are called on the way of the bytes, in the order of the contract: `head` at most once, `piece` after
 * it, `end` once and last. They keep what they are given, and neither change nor read it.
 */
export interface ExchangeObserver {
  head(head: ResponseHead, at: number): void;
  piece(bytes: Uint8Array, at: number): void;
  end(how: ExchangeEnd, at: number): void;
}

/** Called with each request that is forwarded. */
export type Observe = (request: RequestHead) => ExchangeObserver;
