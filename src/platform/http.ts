/** What an HTTP client is, on every runtime: TLS with certificates of one's own, connections kept open, bodies as chunks. */
export interface TlsSettings {
  /** PEM; instead of the system's authorities. */
  readonly ca?: string;
  /** PEM, with the intermediate ones. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  /** Asked for by SNI, and looked for in the server's certificate, instead of the host of the URL. */
  readonly serverName?: string;
  /** The server's certificate is not checked at all. */
  readonly insecure?: boolean;
}

export interface HttpSettings {
  readonly tls: TlsSettings;
  /** URL of an HTTP or SOCKS5 proxy; user and password may stand in it. Without one the server is asked directly. */
  readonly proxy?: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case; a name with several values is sent as several lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** The body is wanted as it arrives; otherwise it may come in one piece. */
  readonly stream: boolean;
}

export interface HttpBody {
  /** Undefined at the end. @throws HttpError when the connection broke, anything when the signal was aborted. */
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
}

export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: HttpBody;
}

export interface HttpClient {
  /**
   * Redirects are answers. When a kept connection breaks before the answer, Bun sends GET, PUT and DELETE again over a new one by
   * itself; POST and PATCH never. @throws HttpError, or anything when the signal was aborted.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; requests under way go on, and new ones open new connections. */
  close(): void;
}
