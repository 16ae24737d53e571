/** The files with certificates, keys and tokens that flags of kube-apiserver name. */
import { messageOf } from "../../src/api/error-message.ts";
import { loopbackCertificate, type ServerCertificate } from "../../src/platform/certificate.ts";
import { makeFolder, pathFrom, readTextFile, writePrivateFile } from "../../src/platform/files.ts";
import type { User } from "../../src/sandbox/context/authorizer.ts";
import { FlagError } from "./flags.ts";
import type { KubeApiserverOptions } from "./kube-apiserver-options.ts";

/** The text of a file that a flag names. @throws FlagError if it cannot be read. */
async function textIn(flag: string, path: string): Promise<string> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw new FlagError(`--${flag}: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  });
  if (text === undefined) throw new FlagError(`--${flag}: ${path} does not exist`);
  return text;
}

/** The PEM in a file that a flag names. @throws FlagError if it cannot be read or contains none. */
export async function pemIn(flag: string, path: string): Promise<string> {
  const text = await textIn(flag, path);
  if (text.includes("-----BEGIN ")) return text;
  throw new FlagError(`--${flag}: ${path} contains no PEM`);
}

/**
 * The serving certificate: that of the flags, that in the certificate folder, or a new one, which is written to the folder for clients to
 * trust.
 * Source: apiserver v0.36 server/options/serving.go MaybeDefaultWithSelfSignedCerts.
 */
export async function servingCertificate(
  { certificate, certDir }: Pick<KubeApiserverOptions, "certificate" | "certDir">,
  now: number,
): Promise<ServerCertificate> {
  const named = certificate ?? (certDir === undefined ? undefined : await certificateIn(certDir));
  if (named !== undefined) {
    const cert = await pemIn("tls-cert-file", named.cert);
    return { ca: cert, cert, key: await pemIn("tls-private-key-file", named.key) };
  }
  const made = loopbackCertificate(now);
  if (certDir !== undefined) {
    const files = pairIn(certDir);
    try {
      await makeFolder(certDir);
      await writePrivateFile(files.cert, `${made.cert}${made.ca}`);
      await writePrivateFile(files.key, made.key);
    } catch (error) {
      throw new FlagError(`--cert-dir: cannot write to ${certDir}: ${messageOf(error)}`, { cause: error });
    }
  }
  return made;
}

const pairIn = (folder: string): { readonly cert: string; readonly key: string } => ({
  cert: pathFrom(folder, "apiserver.crt"),
  key: pathFrom(folder, "apiserver.key"),
});

async function certificateIn(folder: string): Promise<{ readonly cert: string; readonly key: string } | undefined> {
  const files = pairIn(folder);
  const there = await Promise.all([files.cert, files.key].map((path) => readTextFile(path)));
  return there.includes(undefined) ? undefined : files;
}

/** A static token and its user. */
export interface TokenUser {
  readonly token: string;
  readonly user: User;
}

/**
 * The users of `--token-auth-file`: `token,name,uid,"group1,group2"` per line. Source: apiserver v0.36
 * authentication/token/tokenfile/tokenfile.go.
 * @throws FlagError for a file that cannot be read, and a line with fewer than three fields.
 */
export async function usersIn(path: string): Promise<readonly TokenUser[]> {
  const text = await textIn("token-auth-file", path);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      const [token = "", name = "", uid, groups = ""] = fieldsOf(line);
      if (uid === undefined)
        throw new FlagError(
          `--token-auth-file: line ${index + 1} of ${path} has fewer than 3 fields: token, user name, uid`,
        );
      const named = groups.split(",").map((group) => group.trim());
      return { token, user: { name, uid, groups: [...named.filter((group) => group !== ""), "system:authenticated"] } };
    });
}

/** The fields of a line of CSV. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  );
}
