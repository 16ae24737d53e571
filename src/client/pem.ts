/** Certificates and keys, from the kubeconfig itself or from a file. */
import type { Host } from "../platform/host.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";

/** Where a PEM text comes from; data, which is Base64, goes before the file. */
export interface PemSource {
  readonly data?: string | undefined;
  readonly path?: string | undefined;
  readonly folder: string;
}

/** @throws KubeconfigError naming `what`. */
export async function pem(host: Host, source: PemSource, what: string): Promise<string | undefined> {
  if (source.data !== undefined && source.data !== "") {
    try {
      return atob(source.data.replace(/\s+/g, ""));
    } catch (error) {
      throw new KubeconfigError(`Cannot read ${what}-data: it is not Base64`, { cause: error });
    }
  }
  if (source.path === undefined || source.path === "") return undefined;
  const path = host.pathFrom(source.folder, source.path);
  let text: string | undefined;
  try {
    text = await host.readFile(path);
  } catch (error) {
    throw new KubeconfigError(`Cannot read ${what} ${path}: ${(error as Error).message}`, { cause: error });
  }
  if (text === undefined) throw new KubeconfigError(`Cannot read ${what} ${path}: there is no such file`);
  return text;
}
