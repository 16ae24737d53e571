/**
 * The file that `sandbox --write-kubeconfig` writes: it never overwrites a kubeconfig that something else wrote. It also contains the
 * server's identity, so the next sandbox with this file is the same server to running clients.
 */
import { parse } from "yaml";
import { readTextFile, writePrivateFile } from "../../src/platform/files.ts";
import type { SandboxHttps, SandboxIdentity } from "../../src/sandbox/https.ts";
import { UserError } from "../cli/user-error.ts";
import { cannotWrite } from "./file-errors.ts";

/** The extension that marks a file as ours; kubectl keeps it when it rewrites the file. */
const extensionName = "kubectl-reconcile.io/sandbox";

/** The part of a kubeconfig that is read here. */
interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, unknown>> }[];
  readonly users?: readonly { readonly user?: Readonly<Record<string, unknown>> }[];
  readonly extensions?: readonly { readonly name?: unknown; readonly extension?: Readonly<Record<string, unknown>> }[];
}

/**
 * The identity of the sandbox that wrote the file; undefined if there is no file, or if the identity expires within a month of `now`.
 * @throws UserError for a file that no sandbox wrote: the clusters in it would be lost.
 */
export async function earlierIdentity(path: string, now: number): Promise<SandboxIdentity | undefined> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  if (text === undefined || text.trim() === "") return undefined;
  const config = readConfig(text);
  const own = config.extensions?.find(({ name }) => name === extensionName)?.extension;
  if (own === undefined || config.clusters?.length !== 1) {
    throw new UserError(`${path} exists, and was not written by a sandbox: its contents would be lost`, [
      "give another file, or remove this one",
    ]);
  }
  const ca = decoded(config.clusters[0]?.cluster?.["certificate-authority-data"]);
  const token = config.users?.[0]?.user?.["token"];
  const [cert, key, caKey] = ["cert", "key", "ca-key"].map((name) => decoded(own[name]));
  const until = Number(own["until"]);
  // Without the authority's key, the next sandbox could not sign anything that this one's clients accept.
  if (!ca || !cert || !key || !caKey || typeof token !== "string" || token === "") return undefined;
  return until > now ? { certificate: { ca, caKey, cert, key }, token, until } : undefined;
}

function readConfig(text: string): Kubeconfig {
  try {
    const value: unknown = parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // Whatever it is, it is not ours.
    return {};
  }
}

function decoded(base64: unknown): string {
  try {
    return typeof base64 === "string" ? atob(base64) : "";
  } catch {
    return "";
  }
}

/** Mode 0600: it contains the token, the server's key and the authority's. @throws UserError if it cannot be written. */
export async function writeKubeconfig(path: string, https: SandboxHttps, namespace?: string): Promise<void> {
  const { certificate, until } = https.identity;
  const extension = `extensions:
  - name: ${extensionName}
    extension:
      until: ${until}
      cert: ${btoa(certificate.cert)}
      key: ${btoa(certificate.key)}
      ca-key: ${btoa(certificate.caKey ?? "")}
`;
  try {
    await writePrivateFile(path, https.kubeconfig(namespace) + extension);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
