/** Creates certificates for TLS tests with openssl, in a temporary folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why no certificates can be created here, or undefined. */
export const opensslMissing: string | undefined = Bun.which("openssl") === null ? "there is no openssl" : undefined;

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** The authority in PEM. */
  readonly ca: string;
  /** Valid for localhost and 127.0.0.1. */
  readonly server: Pair;
  /** Valid for api.test only. */
  readonly other: Pair;
  /** For the user `dev`. */
  readonly client: Pair;
  /** For the user `ops`. */
  readonly client2: Pair;
  /** An authority that signed none of these. */
  readonly strangerCa: string;
}

const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

export function makeCertificates(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), "certificates-"));
  const openssl = (...args: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: dir, stderr: "pipe" });
    if (exitCode !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr.toString()}`);
  };
  const read = (name: string): string => readFileSync(join(dir, name), "utf8");
  const authority = (name: string): void =>
    openssl(
      "req",
      "-x509",
      ...curve,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
    );
  const signed = (name: string, subject: string, extensions: string): Pair => {
    writeFileSync(join(dir, `${name}.ext`), extensions);
    openssl("req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject);
    const by = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"];
    openssl(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      ...by,
      "-out",
      `${name}.crt`,
      "-days",
      "2",
      "-extfile",
      `${name}.ext`,
    );
    return { cert: read(`${name}.crt`), key: read(`${name}.key`) };
  };
  try {
    authority("ca");
    authority("stranger");
    return {
      ca: read("ca.crt"),
      strangerCa: read("stranger.crt"),
      server: signed("server", "/CN=localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
      other: signed("other", "/CN=api.test", "subjectAltName=DNS:api.test"),
      client: signed("client", "/O=system:masters/CN=dev", "extendedKeyUsage=clientAuth"),
      client2: signed("client2", "/CN=ops", "extendedKeyUsage=clientAuth"),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
