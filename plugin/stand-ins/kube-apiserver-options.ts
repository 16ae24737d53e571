/** The flags of kube-apiserver as options of a sandbox, with notes about them. Reads no files. */
import { pluginsWithout, admissionPlugins, idlePlugins } from "../../src/sandbox/context/admission-plugins.ts";
import { serviceRangesOf } from "../../src/sandbox/registry/core/service/address-ranges.ts";
import { FlagError, type GivenFlags, parseFlags } from "./flags.ts";
import { flagsWith, kindOfFlag, useOf } from "./kube-apiserver-flags.ts";

/** `RBAC`, or everybody may do everything. */
export type AuthorizationMode = "RBAC" | "AlwaysAllow";

/** A certificate and its key, as paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The requested configuration of the API server. Files are paths. */
export interface KubeApiserverOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Undefined: those in `certDir`. */
  readonly certificate: CertificateFiles | undefined;
  /** The folder of the certificate if no flag names one; a new one is written there. */
  readonly certDir: string | undefined;
  readonly clientCa: string | undefined;
  readonly tokenFile: string | undefined;
  readonly anonymous: boolean;
  readonly authorization: AuthorizationMode;
  readonly issuer: string | undefined;
  readonly audiences: readonly string[];
  readonly signingKey: string | undefined;
  /** Files with keys whose tokens are accepted. */
  readonly verifyingKeys: readonly string[];
  readonly disabledAdmissionPlugins: readonly string[];
  /** The ranges of Service addresses: one, or one per family. */
  readonly serviceRanges: readonly string[];
  /** The file and policy of the audit log; undefined: there is none. */
  readonly audit: { readonly log: string; readonly policy: string } | undefined;
}

/** Options, and a line for each deviation from what was requested. */
export interface ReadFlags {
  readonly flags: GivenFlags;
  readonly options: KubeApiserverOptions;
  readonly notes: readonly string[];
}

/** @throws FlagError for a flag that kube-apiserver does not have, one that is refused, and an invalid value. */
export function readKubeApiserverFlags(args: readonly string[]): ReadFlags {
  const flags = parseFlags(args, kindOfFlag);
  const refused = flags.names.find((name) => useOf(name) === "refused");
  if (refused !== undefined)
    throw new FlagError(
      `--${refused} is not served by the sandbox: start without it, or test on a real kube-apiserver`,
    );
  const authorization = authorizationOf(flags);
  const audit = auditOf(flags);
  const options: KubeApiserverOptions = {
    // kube-apiserver listens on all addresses; a server for tests should not.
    host: flags.text("bind-address") ?? "127.0.0.1",
    port: flags.port("secure-port", 6443),
    certificate: certificateOf(flags),
    certDir: flags.text("cert-dir"),
    clientCa: flags.text("client-ca-file"),
    tokenFile: flags.text("token-auth-file"),
    // Source: kubernetes v1.36 pkg/kubeapiserver/options/authentication.go ApplyAuthorization.
    anonymous: authorization.mode !== "AlwaysAllow" && flags.boolean("anonymous-auth", true),
    authorization: authorization.mode,
    issuer: flags.list("service-account-issuer")[0],
    audiences: flags.list("api-audiences"),
    signingKey: flags.text("service-account-signing-key-file"),
    verifyingKeys: flags.all("service-account-key-file"),
    disabledAdmissionPlugins: flags.list("disable-admission-plugins"),
    serviceRanges: rangesOf(flags),
    audit: audit.files,
  };
  return {
    flags,
    options,
    notes: [...authorization.notes, ...audit.notes, ...pluginNotes(flags), ...effectNotes(flags)],
  };
}

/** Source: kubernetes v1.36 cmd/kube-apiserver/app/options/{completion,validation}.go. */
function rangesOf(flags: GivenFlags): readonly string[] {
  const given = flags.text("service-cluster-ip-range") ?? defaultRange;
  const ranges = rangesIn(given.split(","));
  const [primary = "", advertised = ""] = [ranges[0], flags.text("advertise-address")];
  if (advertised === "" || primary.includes(":") === advertised.includes(":")) return ranges;
  const [service, address] = [JSON.stringify(primary), JSON.stringify(advertised)];
  throw new FlagError(`service IP family ${service} must match public address family ${address}`);
}

/** Source: kubernetes v1.36 pkg/kubeapiserver/options/options.go DefaultServiceIPCIDR. */
const defaultRange = "10.0.0.0/24";

function rangesIn(texts: readonly string[]): readonly string[] {
  try {
    return serviceRangesOf(texts);
  } catch (cause) {
    throw cause instanceof RangeError ? new FlagError(cause.message, { cause }) : cause;
  }
}

interface Audit {
  readonly files: KubeApiserverOptions["audit"];
  readonly notes: readonly string[];
}

/** Without a policy nothing is written, as in kube-apiserver. Source: apiserver v0.36 server/options/audit.go ApplyTo. */
function auditOf(flags: GivenFlags): Audit {
  const [log, policy] = [flags.text("audit-log-path"), flags.text("audit-policy-file")];
  if (log === "-") throw new FlagError("--audit-log-path=- is not served by the sandbox: give a file");
  if (log === undefined) return { files: undefined, notes: [] };
  if (policy !== undefined) return { files: { log, policy }, notes: [] };
  return { files: undefined, notes: ["--audit-log-path: no events are written without --audit-policy-file"] };
}

function certificateOf(flags: GivenFlags): CertificateFiles | undefined {
  const [cert, key] = [flags.text("tls-cert-file"), flags.text("tls-private-key-file")];
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new FlagError("--tls-cert-file and --tls-private-key-file belong together: give both, or neither");
}

const modes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];

interface Authorization {
  readonly mode: AuthorizationMode;
  readonly notes: readonly string[];
}

/** Source: kubernetes v1.36 pkg/kubeapiserver/options/authorization.go. */
function authorizationOf(flags: GivenFlags): Authorization {
  const given = flags.list("authorization-mode");
  const unknown = given.find((mode) => !modes.includes(mode));
  if (unknown !== undefined) throw new FlagError(`authorization-mode ${JSON.stringify(unknown)} is not a valid mode`);
  const unserved = given.find((mode) => ["ABAC", "Webhook", "AlwaysDeny"].includes(mode));
  if (unserved !== undefined)
    throw new FlagError(`--authorization-mode=${unserved} is not served by the sandbox: RBAC and AlwaysAllow are`);
  const node = given.includes("Node") ? ["--authorization-mode=Node: kubelets may do what RBAC lets them"] : [];
  return { mode: given.includes("AlwaysAllow") || !given.includes("RBAC") ? "AlwaysAllow" : "RBAC", notes: node };
}

/** Source: apiserver v0.36 server/options/admission.go Validate. */
function pluginNotes(flags: GivenFlags): readonly string[] {
  const known: readonly string[] = [...admissionPlugins, ...idlePlugins];
  for (const flag of ["enable-admission-plugins", "disable-admission-plugins"]) {
    const unknown = flags.list(flag).find((name) => !known.includes(name));
    if (unknown !== undefined) throw new FlagError(`${flag} plugin ${JSON.stringify(unknown)} is unknown`);
  }
  const idle = flags.list("enable-admission-plugins").filter((name) => idlePlugins.includes(name));
  pluginsWithout(flags.list("disable-admission-plugins"));
  return idle.length === 0 ? [] : [`--enable-admission-plugins: the sandbox does not have ${idle.join(", ")}`];
}

/** Values that match what is served here. */
const asServed: Readonly<Record<string, RegExp>> = {
  "allow-privileged": /^true$/,
};

function effectNotes(flags: GivenFlags): readonly string[] {
  const idle = flagsWith("without effect").filter((name) => {
    const given = flags.all(name);
    return given.length > 0 && !given.every((value) => asServed[name]?.test(value) === true);
  });
  return idle.length === 0 ? [] : [`without effect in the sandbox: ${idle.map((name) => `--${name}`).join(", ")}`];
}
