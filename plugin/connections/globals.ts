/** The options that every command accepts: kubectl's own, since kubectl passes none of them to a plugin. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { clusterCandidates, contextCandidates, namespaceCandidates, userCandidates } from "./cluster-candidates.ts";
import {
  type Command,
  type CommandDefinition,
  commandOf,
  duration,
  flag,
  type Options,
  type OptionsFor,
  text,
  texts,
  wholeNumber,
} from "../cli/command.ts";

/** Their values: the names are those of the flags that select a cluster and a login. */
export type Globals = ConfigFlags & { readonly verbosity?: number };

/** The table of these options, by those names. */
export const globals: OptionsFor<Globals> = {
  kubeconfig: text("--kubeconfig <file>", "the kubeconfig to use, instead of those in KUBECONFIG or ~/.kube/config"),
  context: text("--context <name>", "the context of the kubeconfig to use", { candidates: contextCandidates }),
  cluster: text("--cluster <name>", "the cluster of the kubeconfig to use", { candidates: clusterCandidates }),
  user: text("--user <name>", "the user of the kubeconfig to use", { candidates: userCandidates }),
  namespace: text("-n, --namespace <name>", "the namespace, instead of the context's", {
    candidates: namespaceCandidates,
  }),
  server: text("-s, --server <url>", "address and port of the API server"),
  token: text("--token <token>", "bearer token to log in with"),
  as: text("--as <user>", "user to impersonate"),
  asGroup: texts("--as-group <group>", "group to impersonate, repeatable"),
  asUid: text("--as-uid <uid>", "uid to impersonate"),
  certificateAuthority: text(
    "--certificate-authority <file>",
    "CA certificates to verify the server's certificate with",
  ),
  clientCertificate: text("--client-certificate <file>", "client certificate to log in with"),
  clientKey: text("--client-key <file>", "key of the client certificate"),
  insecureSkipTlsVerify: flag("--insecure-skip-tls-verify", "do not check the server's certificate"),
  tlsServerName: text("--tls-server-name <name>", "name to expect in the server's certificate"),
  requestTimeout: duration("--request-timeout <duration>", "give up on a request after this time (30s, 2m)", {
    default: "none",
  }),
  verbosity: wholeNumber("-v, --v <level>", "from 6 on, log each request to standard error", 0, { default: "0" }),
};

/** A command that connects to a cluster: in addition to its own options, it accepts those that select one. */
export function clusterCommand<const O extends Options, Request>(
  definition: CommandDefinition<O, Globals, Request>,
): Command {
  return commandOf(definition, true);
}
