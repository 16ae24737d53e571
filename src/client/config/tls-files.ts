/** Certificates and keys in files, which may be replaced while the program runs. */
import { hasCertificate, isKeyPair } from "./key-files.ts";
import { mostSince } from "../../platform/timeline.ts";
import type { CredentialOptions } from "./credential.ts";
import type { KeyPair, RestConfig, TlsFiles } from "./rest-config.ts";

/** What the files contain, or the kubeconfig itself. */
export interface TlsMaterial {
  /** The authorities that the server's certificate is verified with. */
  readonly ca?: string;
  readonly keyPair?: KeyPair;
}

/** How often the files are read. */
const periodMs = 5 * 60_000;
/** How soon they are read again when they cannot be used: another program may be about to write the second one. */
const retryMs = 1000;

/**
 * The certificates of a kubeconfig, with those in files as they are now: files are read again once 5 minutes have passed. While a file is
 * missing or damaged, or a key does not belong to its certificate, what was read before stays in use, and the files are read every second.
 *
 * Undefined if the kubeconfig names no files.
 *
 * Source: client-go v0.36 transport/cert_rotation.go, ca_rotation.go; differs: nothing is read while no request is made.
 */
export function tlsFilesOf(
  { files, tls, keyPair }: Pick<RestConfig, "files" | "tls" | "keyPair">,
  { host, timeline }: CredentialOptions,
): (() => Promise<TlsMaterial>) | undefined {
  if (files === undefined) return undefined;
  let known: TlsMaterial = { ...(tls.ca !== undefined && { ca: tls.ca }), ...(keyPair !== undefined && { keyPair }) };
  let readAt = timeline.clocks();
  let waitMs = periodMs;
  let reading: Promise<TlsMaterial> | undefined;
  const text = async (path: string): Promise<string> => (await host.readFile(path).catch(() => undefined)) ?? "";
  const read = async (): Promise<TlsMaterial> => {
    const [ca, pair] = await Promise.all([readCa(files, text), readKeyPair(files, text)]);
    known = { ...known, ...(ca !== "unusable" && ca), ...(pair !== "unusable" && pair) };
    waitMs = ca === "unusable" || pair === "unusable" ? retryMs : periodMs;
    readAt = timeline.clocks();
    return known;
  };
  return () => {
    if (mostSince(readAt, timeline.clocks()) < waitMs) return Promise.resolve(known);
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

type ReadText = (path: string) => Promise<string>;
type Read = TlsMaterial | "unusable";

async function readCa({ ca: path }: TlsFiles, text: ReadText): Promise<Read> {
  if (path === undefined) return {};
  const ca = await text(path);
  return hasCertificate(ca) ? { ca } : "unusable";
}

async function readKeyPair({ keyPair: paths }: TlsFiles, text: ReadText): Promise<Read> {
  if (paths === undefined) return {};
  const [certificate, key] = await Promise.all([text(paths.certificate), text(paths.key)]);
  return isKeyPair(certificate, key) ? { keyPair: { certificate, key } } : "unusable";
}
