/** Commands that the program suggests: each works as printed, on the same cluster and as the same user. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";

/** A token is not repeated, since what is printed may be logged; nor is the time limit of a request. */
type Chosen = Omit<ConfigFlags, "token" | "requestTimeout" | "namespace">;

/** `--context dev --as ann`, each with a leading space; empty if the user chose nothing. */
export function accessWords(flags: Chosen): string {
  const named: readonly (readonly [string, string | undefined])[] = [
    ["--kubeconfig", flags.kubeconfig],
    ["--context", flags.context],
    ["--cluster", flags.cluster],
    ["--user", flags.user],
    // A password in an address is not repeated either.
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

/** `kubectl --context dev get --raw /readyz`, ready to paste. */
export function kubectlAdvice(flags: Chosen, words: string): string {
  return `kubectl${accessWords(flags)} ${words}`;
}

/** `kubectl reconcile trace deploy/web -n shop --context dev`, ready to paste. */
export function reconcileAdvice(calledAs: string, flags: Chosen, words: string): string {
  return `${calledAs} ${words}${accessWords(flags)}`;
}

/** Quoted so that a POSIX shell reads it as one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
