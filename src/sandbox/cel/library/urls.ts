/** `url()`. Source: apiserver v0.36 pkg/cel/library/urls.go, pkg/cel/url.go. */
import { ArrayList, ValueMap } from "../values/collections.ts";
import { type CelType, objectOf } from "../values/types.ts";
import { CelError, Opaque, overloadError, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards, type Run } from "./function.ts";
import { escapedPath, type GoUrl, hostAndPort, queryOf, readRequestUri, readUrl, urlText } from "./go-url.ts";

/** The type of URLs. */
const urlType: CelType = objectOf("kubernetes.URL");

/** A URL. */
class UrlValue extends Opaque {
  readonly type = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equal(other: Value): boolean | CelError {
    return other instanceof UrlValue ? this.text() === other.text() : overloadError(other);
  }

  text(): string {
    return urlText(this.url);
  }
}

function urlOf(text: string): Value {
  const request = readRequestUri(text);
  const read = "problem" in request ? request : readUrl(text);
  return "problem" in read
    ? new CelError(`URL parse error during conversion from string: ${read.problem}`)
    : new UrlValue(read.value);
}

const { string } = guards;
const isUrl = (value: Value | undefined): value is UrlValue => value instanceof UrlValue;
const onUrl = (run: (url: GoUrl) => Value): Run => bind<[UrlValue]>([isUrl], ({ url }) => run(url));

const queryMap = (url: GoUrl): Value =>
  new ValueMap([...queryOf(url)].map(([name, values]) => [name, new ArrayList(values)] as const));

/** `url`, `isURL`, `getHost` and the others. */
export const urlFunctions: readonly FunctionDecl[] = declare(
  {
    url: { string_to_url: ["(string) URL", bind<[string]>([string], urlOf)] },
    isURL: { is_url_string: ["(string) bool", bind<[string]>([string], (text) => "value" in readRequestUri(text))] },
    getScheme: { url_get_scheme: ["URL.() string", onUrl(({ scheme }) => scheme)] },
    getHost: { url_get_host: ["URL.() string", onUrl(({ host }) => host)] },
    getHostname: { url_get_hostname: ["URL.() string", onUrl((url) => hostAndPort(url).name)] },
    getPort: { url_get_port: ["URL.() string", onUrl((url) => hostAndPort(url).port)] },
    getEscapedPath: { url_get_escaped_path: ["URL.() string", onUrl(escapedPath)] },
    getQuery: { url_get_query: ["URL.() map(string, list(string))", onUrl(queryMap)] },
  },
  { URL: urlType },
);
