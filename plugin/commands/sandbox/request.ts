/** What `sandbox` was asked for. */
import { messageOf } from "../../../src/api/error-message.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { controllersOfEmbedded } from "../../../src/controllers/index.ts";
import { readTextFile } from "../../../src/platform/files.ts";
import type { WebhookOptions } from "../../../src/sandbox/sandbox.ts";
import { UserError } from "../../cli/user-error.ts";
import type { AuditFiles } from "../../connections/audit-file.ts";
import { controllersNamed, type Naming } from "../../names/controller-names.ts";

/** The request of `sandbox`, with defaults filled in. */
export interface SandboxRequest {
  readonly manifests: readonly string[];
  readonly namespace: string | undefined;
  /** Undefined for 3, or those of the saved state. */
  readonly nodes: number | undefined;
  readonly load: string | undefined;
  readonly save: string | undefined;
  /** Undefined for any free port. */
  readonly port: number | undefined;
  /** The file to write and keep; undefined for a temporary one. */
  readonly kubeconfig: string | undefined;
  readonly kubelet: boolean;
  readonly scheduler: boolean;
  readonly rbac: boolean;
  /** A file with the authorities trusted for client certificates. */
  readonly clientCa: string | undefined;
  readonly controllers: readonly ControllerDefinition[];
  readonly disabledAdmissionPlugins: readonly string[];
  readonly audit: AuditFiles | undefined;
  readonly webhooks: WebhookOptions;
  /** Undefined for the default, or that of the saved state. */
  readonly serviceRanges: readonly string[] | undefined;
  /** The folder to fill with envtest's programs, instead of running anything. */
  readonly assets: string | undefined;
}

/** The files of `--audit-log` and `--audit-policy`. @throws UserError for a policy without a log. */
export function auditOf(log: string | undefined, policy: string | undefined): AuditFiles | undefined {
  const file = policy === undefined ? undefined : { flag: "--audit-policy", path: policy };
  if (log !== undefined) return { log: { flag: "--audit-log", path: log }, policy: file };
  if (policy === undefined) return undefined;
  throw new UserError("--audit-policy needs --audit-log", ["say which file the events go to"]);
}

/** The controllers of `--run`. @throws UserError for a word that names no controller, and for `none` together with others. */
export function controllersToRun(
  lists: readonly string[],
  { calledAs, controllerFiles }: Naming,
): readonly ControllerDefinition[] {
  const words = lists.flatMap((list) => list.split(",")).filter((word) => word !== "");
  if (!words.includes("none"))
    return controllersNamed(words, { calledAs, controllerFiles, all: controllersOfEmbedded });
  if (words.length === 1) return [];
  throw new UserError("--run none cannot be combined with controllers", ["omit none, or the others"]);
}

/** The certificates of `--client-ca-file`, in PEM. @throws UserError for a file that cannot be read or holds no certificate. */
export async function certificatesIn(file: string): Promise<string> {
  const pem = await readTextFile(file).catch((error: unknown) => {
    throw new UserError(`--client-ca-file: cannot read ${file}: ${messageOf(error)}`, [], { cause: error });
  });
  if (pem === undefined) throw new UserError(`--client-ca-file: ${file} does not exist`);
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new UserError(`--client-ca-file: ${file} holds no certificate in PEM`, [
    "give the certificate of the authority that signs your client certificates",
  ]);
}
