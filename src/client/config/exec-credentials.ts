/** Credentials that a program prints: exec plugins of the kubeconfig. */
import { readTime } from "../../api/time.ts";
import type { Host } from "../../platform/host.ts";
import type { RestConfig } from "./rest-config.ts";
import type { Credential, CredentialOptions, CredentialSource } from "./credential.ts";
import { KubeconfigError, type ExecEntry } from "./kubeconfig-types.ts";
import { isSendable } from "./auth-info.ts";
import { typeName } from "./redacted.ts";

interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: null | {
    readonly expirationTimestamp?: string;
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
  };
}

const versions: ReadonlySet<string> = new Set([
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
]);

/**
 * Runs the plugin when credentials are first needed, and again when they have expired or the server has refused them.
 * Concurrent requests share one run.
 *
 * Source: client-go v0.36 plugin/pkg/client/auth/exec/exec.go; differs: the refused request is sent again with the new
 * credentials.
 */
export function execCredentials(
  plugin: ExecEntry,
  folder: string,
  access: RestConfig,
  { host, timeline }: CredentialOptions,
): CredentialSource {
  let known: Credential | undefined;
  let expiresAt = Infinity;
  let running: Promise<Credential> | undefined;
  const runOnce = (): Promise<Credential> => {
    running ??= (async () => {
      const { credential, expiresAt: end } = await run(plugin, folder, access, host);
      expiresAt = end;
      known = credential;
      return credential;
    })().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    current: () => (known !== undefined && timeline.now() <= expiresAt ? Promise.resolve(known) : runOnce()),
    // Another request may have renewed it already.
    renew: (refused) => (known !== undefined && known !== refused ? Promise.resolve(known) : runOnce()),
  };
}

async function run(
  plugin: ExecEntry,
  folder: string,
  access: RestConfig,
  host: Host,
): Promise<{ readonly credential: Credential; readonly expiresAt: number }> {
  const command = commandOf(plugin, folder, host);
  const cannot = (why: string, next?: string): KubeconfigError =>
    new KubeconfigError(`Cannot log in as user ${access.userName}: the exec plugin ${plugin.command} ${why}`, {
      ...(next !== undefined && { next }),
    });
  if (!versions.has(plugin.apiVersion ?? "")) {
    throw cannot(
      `has the apiVersion ${JSON.stringify(plugin.apiVersion ?? "")}`,
      `known are ${[...versions].join(" and ")}`,
    );
  }
  const interactive = isInteractive(plugin, host, cannot);
  const end = await host.run({
    command,
    args: plugin.args ?? [],
    env: {
      ...host.env,
      ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, access, interactive)),
    },
    interactive,
  });
  switch (end.is) {
    case "missing":
      throw cannot("is not found", hintOf(plugin) ?? "install it, or put it on PATH");
    case "failed":
      throw cannot(`failed: ${end.why}`, hintOf(plugin));
    case "ended":
      if (end.code !== 0) throw cannot(`ended with exit code ${end.code}`, hintOf(plugin));
      return credentialOf(end.out, plugin, cannot);
  }
}

/** A command with a slash is a path relative to the kubeconfig's folder; any other is looked up on PATH. */
function commandOf(plugin: ExecEntry, folder: string, host: Host): string {
  return /[/\\]/.test(plugin.command) ? host.pathFrom(folder, plugin.command) : plugin.command;
}

/** The plugin's install hint, without control characters. */
function hintOf(plugin: ExecEntry): string | undefined {
  // oxlint-disable-next-line no-control-regex -- exactly these are to go
  const hint = (plugin.installHint ?? "").replace(/[\u0000-\u0008\u000e-\u001f\u007f]/g, "").trim();
  return hint === "" ? undefined : hint;
}

/** v1 requires a mode; v1beta1 defaults to IfAvailable. */
function isInteractive(plugin: ExecEntry, host: Host, cannot: (why: string) => KubeconfigError): boolean {
  const beta = plugin.apiVersion === "client.authentication.k8s.io/v1beta1";
  const mode = plugin.interactiveMode ?? (beta ? "IfAvailable" : "");
  switch (mode) {
    case "Never":
      return false;
    case "IfAvailable":
      return host.stdinIsTerminal;
    case "Always":
      if (!host.stdinIsTerminal) throw cannot("prompts, and standard input is not a terminal");
      return true;
    default:
      throw cannot(
        mode === "" ? "names no interactiveMode" : `has the unknown interactiveMode ${JSON.stringify(mode)}`,
      );
  }
}

function execInfo(plugin: ExecEntry, access: RestConfig, interactive: boolean): unknown {
  const { tls } = access;
  const cluster = {
    server: access.server,
    ...(tls.serverName !== undefined && { "tls-server-name": tls.serverName }),
    ...(tls.insecure && { "insecure-skip-tls-verify": true }),
    ...(tls.ca !== undefined && { "certificate-authority-data": btoa(tls.ca) }),
    ...(access.proxyUrl !== undefined && { "proxy-url": access.proxyUrl }),
    ...(access.disableCompression && { "disable-compression": true }),
    config: access.execExtension ?? null,
  };
  return {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo === true && { cluster }), interactive },
  };
}

function credentialOf(
  out: string,
  plugin: ExecEntry,
  cannot: (why: string) => KubeconfigError,
): { readonly credential: Credential; readonly expiresAt: number } {
  let execCredential: ExecCredential | null;
  try {
    execCredential = JSON.parse(out) as ExecCredential | null;
  } catch {
    throw cannot("did not print JSON");
  }
  if (execCredential?.kind !== "ExecCredential") throw cannot("printed something that is not an ExecCredential");
  if (execCredential.apiVersion !== plugin.apiVersion) {
    throw cannot(
      `answered in ${typeof execCredential.apiVersion === "string" ? execCredential.apiVersion : "no version"}, where ${String(plugin.apiVersion)} is configured`,
    );
  }
  const {
    token,
    clientCertificateData: certificate,
    clientKeyData: key,
    expirationTimestamp,
  } = textsOf(execCredential, cannot);
  if (token === "" && certificate === "" && key === "") throw cannot("printed neither a token nor a certificate");
  if ((certificate === "") !== (key === "")) throw cannot("printed a certificate or a key, not both");
  if (!isSendable(token)) throw cannot("printed a token that no HTTP header can carry");
  const expiresAt = expirationTimestamp === "" ? Infinity : readTime(expirationTimestamp);
  if (expiresAt === undefined) throw cannot("printed an expirationTimestamp that is not a time");
  return {
    credential: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(certificate !== "" && { keyPair: { certificate, key } }),
    },
    expiresAt,
  };
}

type StatusText = keyof NonNullable<ExecCredential["status"]>;

/** Missing fields become empty strings. */
function textsOf({ status }: ExecCredential, cannot: (why: string) => KubeconfigError): Record<StatusText, string> {
  const text = (name: StatusText): string => {
    const value: unknown = status?.[name] ?? "";
    if (typeof value !== "string") throw cannot(`printed a ${name} that is ${typeName(value)}, not a text`);
    return value;
  };
  return {
    token: text("token"),
    clientCertificateData: text("clientCertificateData"),
    clientKeyData: text("clientKeyData"),
    expirationTimestamp: text("expirationTimestamp"),
  };
}
