/** Commands that the program advises: each works as it is printed, on the cluster and as the user that were asked about. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";

/** A token is not repeated, since what is printed may be logged; nor is the time limit of a request. */
type Chosen = Omit<ConfigFlags, "token" | "requestTimeout" | "namespace">;

/** `--context dev --as ann`, each with a leading space; empty where the user chose nothing. */
export function accessWords(flags: Chosen): string {
  const named: readonly (readonly [string, string | undefined])[] = [
    ["--kubeconfig", flags.kubeconfig],
    ["--context", flags.context],
    ["--cluster", flags.cluster],
    ["--user", flags.user],
    // Nor is a password of an address.
    ["--server", flags.server?.replace(/^([a-z]+:\/\/)?.*@/is, "$1")],
    ["--as", flags.as],
    ...(flags.asGroup ?? []).map((group) => ["--as-group", group] as const),
    ["--as-uid", flags.asUid],
    ["--certificate-authority", flags.certificateAuthority],
    ["--client-certificate", flags.clientCertificate],
    ["--client-key", flags.clientKey],
    ["--tls-server-name", flags.tlsServerName],
  ];
  const words = named.flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${quoted(value)}`]));
  if (flags.insecureSkipTlsVerify === true) words.push(" --insecure-skip-tls-verify");
  return words.join("");
}

/** `kubectl --context dev get --raw /readyz`, as it can be pasted. */
export function kubectlAdvice(flags: Chosen, words: string): string {
  return `kubectl${accessWords(flags)} ${words}`;
}

/** `kubectl reconcile trace deploy/web -n shop --context dev`, as it can be pasted. */
export function reconcileAdvice(calledAs: string, flags: Chosen, words: string): string {
  return `${calledAs} ${words}${accessWords(flags)}`;
}

/** As a POSIX shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
