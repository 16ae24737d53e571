/** Resolves the user's words to the Services of webhooks. */
import { UserError } from "../cli/user-error.ts";

const form = "NAMESPACE/SERVICE=URL";
const name = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const whole = new RegExp(`^(${name}/${name})=(.+)$`);

/**
 * URLs by `NAMESPACE/SERVICE`. @throws UserError for a malformed word, for a URL with more than a scheme, a host and a port, and for a
 * Service that is named twice.
 */
export function webhookServices(words: readonly string[]): ReadonlyMap<string, string> {
  const services = new Map<string, string>();
  for (const word of words) {
    const [, service = "", url = ""] = whole.exec(word) ?? [];
    const option = `--webhook ${word}`;
    if (service === "")
      throw new UserError(`${option}: expected ${form}`, ["for example --webhook shop/hooks=https://127.0.0.1:9443"]);
    if (services.has(service)) throw new UserError(`${option}: ${service} is given twice`);
    services.set(service, originIn(url, option));
  }
  return services;
}

function originIn(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new UserError(`${option}: ${JSON.stringify(text)} is not an http or https URL`);
  const isOrigin = url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!isOrigin)
    throw new UserError(`${option}: the URL may have only a host and a port`, [
      "the path is that of the webhook's clientConfig.service.path",
    ]);
  return url.origin;
}
