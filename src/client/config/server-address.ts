/** The address of an API server, as a kubeconfig or `--server` has it. */
import type { AuthInfo } from "./rest-config.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";
import { withoutUserinfo } from "./redacted.ts";
import { unescaped } from "../../platform/unescaped.ts";

/** A parsed address. */
export interface ServerAddress {
  /** With scheme; without user, password, query and trailing slash. */
  readonly server: string;
  /** User and password in the address, if any. */
  readonly userinfo?: Extract<AuthInfo, { readonly is: "basic" }>;
}

/**
 * Parses an address. Without a scheme it is http, even with a certificate authority: kubectl does the same, and one
 * file must not lead to two places. `where` ends the error message.
 *
 * @throws KubeconfigError
 * Source: client-go v0.36 rest/url_utils.go DefaultServerURL, tools/clientcmd/client_config.go ClientConfig.
 */
export function serverAddress(text: string, where: string): ServerAddress {
  const url = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new KubeconfigError(
      `Cannot use the API server ${withoutUserinfo(text)}${where}: it is not an http or https URL`,
    );
  }
  const { origin, pathname, username, password } = new URL(url);
  const server = origin + pathname.replace(/\/+$/, "");
  if (username === "" && password === "") return { server };
  return { server, userinfo: { is: "basic", username: unescaped(username), password: unescaped(password) } };
}
