/**
 * How TLS authenticates both sides. An HTTP client on any runtime: own certificates, kept-alive connections, bodies in
 * chunks.
 */
export interface TlsSettings {
  /** PEM; replaces the system's CAs. */
  readonly ca?: string;
  /** PEM, including intermediate certificates. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  /** Sent as SNI and verified in the server's certificate, instead of the host of the URL. */
  readonly serverName?: string;
  /** Does not verify the server's certificate. */
  readonly insecure?: boolean;
}

/** What all requests of a client share. */
export interface HttpSettings {
  readonly tls: TlsSettings;
  /** URL of an HTTP or SOCKS5 proxy, possibly with user and password; without one, connections are direct. */
  readonly proxy?: string;
}

/** One request. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case; a name with several values is sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether the body is read as it arrives; otherwise it may be delivered in one piece. */
  readonly stream: boolean;
}

/** The body of a response, in chunks. */
export interface HttpBody {
  /** Undefined at the end. @throws HttpError if the connection broke, anything if the signal was aborted. */
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
}

/** A response whose body is yet to be read. */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: HttpBody;
}

/** Sends requests and keeps connections alive. */
export interface HttpClient {
  /**
   * Does not follow redirects. If a kept-alive connection breaks before the response, Bun repeats GET, PUT and DELETE over a new one on its
   * own, but never POST and PATCH.
   * @throws HttpError; anything if the signal was aborted.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; requests in flight continue, and new ones open new connections. */
  close(): void;
}
