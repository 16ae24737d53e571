/** A sandbox that is started like kube-apiserver: with its flags, until a signal. Its messages go to standard error. */
import { messageOf } from "../../src/api/error-message.ts";
import { secretToken } from "../../src/platform/secret.ts";
import type { TokenIssuer } from "../../src/sandbox/access/service-account-tokens.ts";
import { type SandboxHttps, serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Io } from "../cli/io.ts";
import { kubernetesRelease } from "../cli/version.ts";
import { type AuditFile, openAuditFile } from "../connections/audit-file.ts";
import { pemIn, servingCertificate, usersIn } from "./credential-files.ts";
import { FlagError } from "./flags.ts";
import { helpText } from "./kube-apiserver-help.ts";
import { type KubeApiserverOptions, readKubeApiserverFlags } from "./kube-apiserver-options.ts";
import { untilSignal } from "./until-signal.ts";

/** Runs it until a signal. @returns the exit code. @throws FlagError. */
export async function runKubeApiserver(args: readonly string[], io: Io): Promise<number> {
  const { flags, options, notes } = readKubeApiserverFlags(args);
  if (flags.boolean("help", false)) {
    io.out.write(helpText());
    return 0;
  }
  if (flags.boolean("version", false)) {
    io.out.line(`Kubernetes v${kubernetesRelease}`);
    return 0;
  }
  const signalled = untilSignal(io);
  const { https, sandbox, audit } = await serve(options, io);
  for (const note of notes) io.err.line(`kube-apiserver: ${note}`);
  io.err.line(`kube-apiserver: a sandbox of kubectl reconcile serves ${https.url}, state in memory`);
  await signalled;
  sandbox.stop();
  await https.close();
  await audit?.close();
  return 0;
}

interface Served {
  readonly sandbox: Sandbox;
  readonly https: SandboxHttps;
  readonly audit: AuditFile | undefined;
}

async function serve(options: KubeApiserverOptions, { timeline, random }: Io): Promise<Served> {
  const { host, port, authorization, anonymous, disabledAdmissionPlugins, serviceRanges } = options;
  const clientCa = options.clientCa === undefined ? undefined : await pemIn("client-ca-file", options.clientCa);
  const certificate = await servingCertificate(options, timeline.now());
  const audit = await auditOf(options);
  const sandbox = await createSandbox({
    timeline,
    random,
    // Only an API server: these belong to kube-controller-manager.
    defaultServiceAccounts: false,
    rbac: authorization === "RBAC",
    alwaysAllow: authorization === "AlwaysAllow",
    serviceAccounts: await issuerOf(options),
    webhooks: {},
    ...(audit === undefined ? {} : { audit: audit.options }),
    disabledAdmissionPlugins,
    serviceRanges,
  });
  const users = options.tokenFile === undefined ? [] : await usersIn(options.tokenFile);
  for (const { token, user } of users) sandbox.server.logins.set(token, user);
  // Nobody gets the token: clients have their own certificates or tokens.
  const identity = { certificate, token: secretToken(), until: Infinity };
  try {
    const parts = { host, port, identity, anonymous, ...(clientCa === undefined ? {} : { clientCa }) };
    return { sandbox, audit, https: await serveSandbox(sandbox, parts) };
  } catch (error) {
    throw new FlagError(`cannot serve on ${host}, port ${port}: ${messageOf(error)}`, { cause: error });
  }
}

async function auditOf({ audit }: KubeApiserverOptions): Promise<AuditFile | undefined> {
  if (audit === undefined) return undefined;
  const policy = { flag: "--audit-policy-file", path: audit.policy };
  return await openAuditFile({ log: { flag: "--audit-log-path", path: audit.log }, policy });
}

async function issuerOf({ issuer, audiences, signingKey, verifyingKeys }: KubeApiserverOptions): Promise<TokenIssuer> {
  const keys =
    signingKey === undefined
      ? undefined
      : {
          signingKey: await pemIn("service-account-signing-key-file", signingKey),
          verifyingKeys: await Promise.all(verifyingKeys.map((file) => pemIn("service-account-key-file", file))),
        };
  return {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audiences.length === 0 ? {} : { audiences }),
    ...(keys === undefined ? {} : { keys }),
  };
}
