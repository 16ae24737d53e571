/** Connection errors as shown to the user: which server, which login, and what to do next. */
import { isNotFound, StatusError } from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import type { ConfigFlags, RestConfig } from "../../src/client/config/rest-config.ts";
import { kubectlAdvice } from "../cli/advice.ts";
import { UserError } from "../cli/user-error.ts";
import { MissingNamespace } from "../names/missing-namespace.ts";

/** Turns errors of a connection into a UserError; others are returned unchanged. The suggested commands use the same flags. */
export function errorTranslator(flags: ConfigFlags, config: RestConfig): (error: unknown) => unknown {
  const server = config.server + (config.context === "" ? "" : ` (context ${config.context})`);
  const kubectl = (words: string): string => `\`${kubectlAdvice(flags, words)}\``;
  return (error) => {
    if (error instanceof TransportError) return unreachable(error, server, kubectl);
    if (error instanceof StatusError && error.code === 401) {
      const who = config.userName === "" ? "without a user" : `as user ${config.userName}`;
      const next = [`has it expired? try ${kubectl("auth whoami")}`];
      return new UserError(`${server} refuses the login ${who}: ${error.message}`, next, { cause: error });
    }
    const namespace = missingNamespace(error);
    if (namespace === undefined) return error;
    const { next = [] } = error instanceof UserError ? error : {};
    const listed = `${kubectl("get namespaces")} lists those there are`;
    return new UserError(`there is no namespace ${namespace} on ${server}`, [...next, listed], { cause: error });
  };
}

function unreachable(error: TransportError, server: string, kubectl: (words: string) => string): UserError {
  const why = error.message.replace(/^\S+: /, "");
  const next =
    error.failure === "certificate"
      ? "is it the server that you mean? --certificate-authority names the CA to trust, --tls-server-name the name to expect"
      : `is the cluster up? try ${kubectl("get --raw /readyz")}`;
  return new UserError(`cannot reach ${server}: ${why}`, [next], { cause: error });
}

/** The namespace that does not exist, according to an error. */
function missingNamespace(error: unknown): string | undefined {
  if (error instanceof MissingNamespace) return error.namespace;
  if (!isNotFound(error) || !(error instanceof StatusError)) return undefined;
  const { details } = error.status;
  return details?.kind === "namespaces" ? (details.name ?? "") : undefined;
}
