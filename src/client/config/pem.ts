/** Certificates and keys, from the kubeconfig itself or from a file. */
import type { Host } from "../../platform/host.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";
import { shownPath } from "./redacted.ts";

/** The source of a PEM text: Base64 data or a file; both are an error, as in kubectl. */
export interface PemSource {
  readonly data?: string | undefined;
  readonly path?: string | undefined;
  readonly folder: string;
}

/** The path of the file that `pem` reads; undefined if it reads none. */
export function pemFile(host: Host, { data, path, folder }: PemSource): string | undefined {
  if ((data ?? "") !== "" || path === undefined || path === "") return undefined;
  return host.pathFrom(folder, path);
}

/** The PEM text, if the source has one. @throws KubeconfigError naming `what`. */
export async function pem(host: Host, source: PemSource, what: string): Promise<string | undefined> {
  if ((source.data ?? "") !== "" && (source.path ?? "") !== "") {
    throw new KubeconfigError(`Cannot choose ${what}: the file and the data are both given`, {
      next: "leave one of them in the kubeconfig",
    });
  }
  if (source.data !== undefined && source.data !== "") {
    try {
      return atob(source.data.replace(/\s+/g, ""));
    } catch (error) {
      throw new KubeconfigError(`Cannot read ${what}-data: it is not Base64`, { cause: error });
    }
  }
  const path = pemFile(host, source);
  if (path === undefined) return undefined;
  let text: string | undefined;
  try {
    text = await host.readFile(path);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // The system's message contains the path.
    const why = code === "EACCES" ? "permission denied" : code === "EISDIR" ? "it is a folder" : (code ?? message);
    throw new KubeconfigError(`Cannot read ${what} ${shownPath(path)}: ${why}`, { cause: error });
  }
  if (text === undefined) throw new KubeconfigError(`Cannot read ${what} ${shownPath(path)}: there is no such file`);
  return text;
}
