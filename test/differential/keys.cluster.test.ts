/**
 * Controllers that need the private keys of a cluster, compared with kube-controller-manager 1.36.3 with the same keys: the signing of
 * certificates, and ServiceAccount tokens in Secrets. The same steps are made on two real clusters, and on a sandbox with its own keys.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  certificateSigner,
  certificateSigningRequestSigning,
} from "../../src/controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import {
  serviceAccountTokens,
  serviceaccountToken,
} from "../../src/controllers/serviceaccount-token/serviceaccount-token.ts";
import { certificateRequest, type RequestParts } from "../support/certificate-request.ts";
import { controllersMissing } from "../support/cluster.ts";
import { eventually, granted, type Server, type Side, sidesOf } from "./three-clusters.ts";

const missing = controllersMissing ?? (Bun.which("openssl") === null ? "there is no openssl" : undefined);
interface Write {
  /** Of the response. */
  readonly code: number;
  readonly body: {
    readonly spec?: object;
    readonly status?: { readonly certificate?: string; readonly conditions?: readonly object[] };
  };
}

/**
 * Normalizes writes: in any order, and for requests without their author and key. A second write that is refused, because the cache had the
 * first one late, is random on either side.
 */
function written(writes: readonly unknown[]): readonly string[] {
  return (writes as readonly Write[])
    .filter(({ code }) => code !== 409)
    .map(({ body: { spec: _spec, status, ...body }, ...write }) => {
      const conditions = status?.conditions?.map((each) => ({ ...each, lastUpdateTime: "", lastTransitionTime: "" }));
      const certificate = status?.certificate === undefined ? "none" : "one";
      return JSON.stringify({ ...write, body, ...(status !== undefined && { status: { conditions, certificate } }) });
    })
    .toSorted();
}

const fileIn = (dir: string, name: string): string => readFileSync(join(dir, name), "utf8");

describe.skipIf(missing !== undefined)("certificates beside kube-controller-manager", () => {
  const sides = sidesOf({
    oracle: "certificatesigningrequest-signing-controller",
    ours: (dir) => [certificateSigner({ ca: fileIn(dir, "ca.crt"), key: fileIn(dir, "ca.key") })],
    inside: [certificateSigningRequestSigning],
    // It runs in the folder of its cluster.
    kcmFlags: ["--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key"],
  });

  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

  interface CsrParts extends RequestParts {
    readonly signer?: "kube-apiserver-client" | "kube-apiserver-client-kubelet" | "kubelet-serving";
    readonly signerName?: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
    /** openssl creates the request, with this subject and this kind of key. */
    readonly subject?: string;
    readonly key?: readonly string[];
    readonly decision?: "Approved" | "Denied" | "none";
  }

  const client = { signer: "kube-apiserver-client", usages: ["client auth"], commonName: "jane" } as const;
  const node = { commonName: "system:node:a", organizations: ["system:nodes"] };
  const kubelet = {
    ...node,
    signer: "kube-apiserver-client-kubelet",
    usages: ["client auth", "digital signature"],
  } as const;
  const serving = {
    ...node,
    signer: "kubelet-serving",
    usages: ["server auth", "digital signature"],
    dns: ["node.example.com"],
  } as const;
  const p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

  const csrParts: Readonly<Record<string, CsrParts>> = {
    client,
    "client-all-usages": { ...client, usages: ["key encipherment", "client auth", "digital signature"] },
    "client-organizations": { ...client, organizations: ["team", "a*b", "zoë", "dev"] },
    "client-names": {
      ...client,
      uris: ["https://example.com/a"],
      ips: ["10.0.0.1"],
      emails: ["jane@example.com"],
      dns: ["b.example.com", "a.example.com"],
    },
    "client-nameless": { signer: "kube-apiserver-client", usages: ["client auth"], dns: ["a.example.com"] },
    "client-subject": {
      ...client,
      key: p256,
      subject:
        "/emailAddress=a@b/CN=first/OU=two/OU=one/serialNumber=7/C=DE/ST=State/L=City/street=Way 1/postalCode=1/O=b/O=a/CN=jané",
    },
    "client-rsa": { ...client, key: ["rsa:2048"], subject: "/CN=jane/O=dev" },
    "client-p384": { ...client, key: ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"], subject: "/CN=jane" },
    "client-ed25519": { ...client, key: ["ed25519"], subject: "/CN=jane" },
    ...Object.fromEntries(
      [600, 3600, 28_799, 28_800, 86_400, 31_536_000, 63_072_000].map((expirationSeconds) => [
        `client-${expirationSeconds}`,
        { ...client, expirationSeconds },
      ]),
    ),
    "client-server-auth": { ...client, usages: ["client auth", "server auth"] },
    "client-no-client-auth": { ...client, usages: ["digital signature"] },
    kubelet,
    "kubelet-key-encipherment": { ...kubelet, usages: [...kubelet.usages, "key encipherment"] },
    "kubelet-usages": { ...kubelet, usages: ["client auth"] },
    "kubelet-organization": { ...kubelet, organizations: ["system:nodes", "dev"] },
    "kubelet-name": { ...kubelet, commonName: "jane" },
    "kubelet-dns": { ...kubelet, dns: ["a"], emails: ["a@b"] },
    "kubelet-email": { ...kubelet, emails: ["a@b"], ips: ["10.0.0.1"] },
    "kubelet-ip": { ...kubelet, ips: ["10.0.0.1"], uris: ["https://a"] },
    "kubelet-uri": { ...kubelet, uris: ["https://a"], commonName: "jane" },
    serving,
    "serving-ip": { ...serving, dns: [], ips: ["10.0.0.1"], usages: [...serving.usages, "key encipherment"] },
    "serving-no-names": { ...serving, dns: [], emails: ["a@b"] },
    "serving-email": { ...serving, emails: ["a@b"], uris: ["https://a"] },
    "serving-uri": { ...serving, uris: ["https://a"], usages: ["server auth"] },
    "serving-usages": { ...serving, usages: ["server auth"], commonName: "jane" },
    "serving-name": { ...serving, commonName: "jane" },
    "serving-organization": { ...serving, organizations: ["dev"], dns: [] },
    denied: { ...client, decision: "Denied" },
    undecided: { ...client, decision: "none" },
    "of-another-signer": { ...client, signerName: "example.com/own" },
  };

  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const requestOf = ({ subject, key = p256, ...parts }: CsrParts): string => {
    if (subject === undefined) return certificateRequest(parts);
    const words = [
      "req",
      "-new",
      "-utf8",
      "-newkey",
      ...key,
      "-nodes",
      "-keyout",
      join(folder, "key"),
      "-subj",
      subject,
    ];
    const { status, stdout, stderr } = spawnSync("openssl", words, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };

  async function make(server: Server, name: string, parts: CsrParts, request: string): Promise<void> {
    const { signer = "", signerName = `kubernetes.io/${signer}`, usages = [], expirationSeconds } = parts;
    const spec = { request: btoa(request), signerName, usages, expirationSeconds };
    await granted(server, "POST", requests, { metadata: { name }, spec });
    const { decision = "Approved" } = parts;
    const conditions = [{ type: decision, status: "True", reason: "ByHand", message: "x" }];
    if (decision !== "none") await granted(server, "PATCH", `${requests}/${name}/approval`, { status: { conditions } });
  }

  interface Signed {
    readonly conditions: readonly unknown[];
    readonly certificate: string;
  }

  interface Read {
    readonly metadata: { readonly name: string; readonly creationTimestamp: string };
    readonly status?: {
      readonly certificate?: string;
      readonly conditions?: readonly Readonly<Record<string, string>>[];
    };
  }

  async function look({ server }: Side): Promise<Readonly<Record<string, Signed>>> {
    const { body } = await server.request("GET", requests);
    const found = (body as { readonly items: readonly Read[] }).items.map(({ metadata, status = {} }) => {
      const { certificate = "", conditions = [] } = status;
      const summaries = conditions.map(({ type, status: is, reason, message }) => ({ type, is, reason, message }));
      return [metadata.name, { conditions: summaries, certificate: atob(certificate) }] as const;
    });
    return Object.fromEntries(found);
  }

  /** A certificate as printed by openssl, without serial number, key, signature and issuer; times as durations. */
  function textOf(pem: string): string {
    if (pem === "") return "";
    const words = [
      "x509",
      "-noout",
      "-text",
      "-nameopt",
      "RFC2253,show_type",
      "-certopt",
      "no_serial,no_sigdump,no_pubkey",
    ];
    const { stdout, stderr, status } = spawnSync("openssl", words, { encoding: "utf8", input: pem });
    if (status !== 0) throw new Error(stderr);
    const timeIn = (field: string): number => Date.parse(new RegExp(`${field} ?: (.*)`).exec(stdout)?.[1] ?? "");
    const seconds = (timeIn("Not After") - timeIn("Not Before")) / 1000;
    return stdout
      .replace(/Issuer: .*/, "Issuer: AUTHORITY")
      .replace(/Not Before: .*\n.*Not After : .*/, `for ${seconds} s`)
      .replaceAll(/([0-9A-F]{2}:){19}[0-9A-F]{2}/g, "KEYID");
  }

  test("have the same content and duration, and refusals have the same reason", async () => {
    await Promise.all(sides.all().map((side) => side.begin()));
    const madeAt = Date.now();
    for (const [name, parts] of Object.entries(csrParts)) {
      const request = requestOf(parts);
      await Promise.all(sides.all().map(({ server }) => make(server, name, parts, request)));
    }
    const isDone = (found: Readonly<Record<string, Signed>>): boolean =>
      Object.entries(csrParts).every(([name, { decision = "Approved", signerName }]) => {
        const { certificate = "", conditions = [] } = found[name] ?? {};
        return decision !== "Approved" || signerName !== undefined || certificate !== "" || conditions.length === 2;
      });
    const found = await Promise.all(sides.all().map((side) => eventually(() => look(side), isDone)));
    expect(found.map(isDone)).toEqual([true, true, true]);
    const [theirs = {}, ours = {}, box = {}] = found.map((each) =>
      Object.fromEntries(
        Object.entries(each).map(([name, { conditions, certificate }]) => [
          name,
          { conditions, certificate: textOf(certificate) },
        ]),
      ),
    );
    expect(ours).toEqual(theirs);
    expect(box).toEqual(theirs);
    const issued = Object.values(theirs).filter(({ certificate }) => certificate !== "");
    const failed = Object.values(theirs).filter(({ conditions }) => conditions.length === 2);
    expect([issued.length, failed.length]).toEqual([20, 15]);

    // The comparison has only durations: the start is checked here.
    for (const { certificate } of found.flatMap((each) => Object.values(each))) {
      if (certificate === "") continue;
      const signedAt = Date.parse(new X509Certificate(certificate).validFrom) + 300_000;
      expect(signedAt).toBeGreaterThan(madeAt - 1000);
      expect(signedAt).toBeLessThan(Date.now() + 1000);
    }
    const [theirWrites = [], ourWrites = []] = await Promise.all(sides.all().map((side) => side.writes()));
    expect(written(ourWrites)).toEqual(written(theirWrites));
    expect(written(theirWrites)).toHaveLength(20 + 15);
  }, 240_000);
});

describe.skipIf(missing !== undefined)("tokens in Secrets beside kube-controller-manager", () => {
  const sides = sidesOf({
    // The tokens-controller runs beside any other.
    oracle: "token-cleaner-controller",
    countsTokens: true,
    ours: (dir) => [serviceAccountTokens({ key: fileIn(dir, "sa.key"), rootCa: fileIn(dir, "ca.crt") })],
    inside: [serviceaccountToken],
  });

  const core = "/api/v1/namespaces/shop";
  const type = "kubernetes.io/service-account-token";
  const [nameAnnotation, uidAnnotation] = ["kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"];

  const addAccount =
    (name: string, secrets: readonly string[] = []) =>
    (server: Server): Promise<unknown> =>
      granted(server, "POST", `${core}/serviceaccounts`, {
        metadata: { name },
        secrets: secrets.map((each) => ({ name: each })),
      });
  const addSecret =
    (name: string, account: string, more: { readonly stringData?: object; readonly uid?: string } = {}) =>
    (server: Server): Promise<unknown> => {
      const { stringData, uid } = more;
      const annotations = { [nameAnnotation]: account, ...(uid !== undefined && { [uidAnnotation]: uid }) };
      return granted(server, "POST", `${core}/secrets`, { metadata: { name, annotations }, type, stringData });
    };
  const remove =
    (plural: string, name: string) =>
    (server: Server): Promise<unknown> =>
      granted(server, "DELETE", `${core}/${plural}/${name}`);
  const change =
    (name: string, body: object) =>
    (server: Server): Promise<unknown> =>
      granted(server, "PATCH", `${core}/secrets/${name}`, body);

  /** A step, and the expected state after it: the claims in each Secret's token, and the list of each ServiceAccount. */
  interface Step {
    readonly name: string;
    readonly act: (server: Server) => Promise<unknown>;
    /** Names of the existing Secrets. */
    readonly secrets: readonly string[];
  }

  const steps: readonly Step[] = [
    {
      name: "create an account and its Secret",
      act: (server) => addAccount("robot", ["one", "other"])(server).then(() => addSecret("one", "robot")(server)),
      secrets: ["one"],
    },
    { name: "create a Secret of a missing account", act: addSecret("nobodys", "nobody"), secrets: ["one"] },
    {
      name: "create a Secret of another account with the name",
      act: addSecret("anothers", "robot", { uid: "x" }),
      secrets: ["one"],
    },
    {
      name: "create a Secret with partial data",
      act: addSecret("some", "robot", {
        stringData: { token: "mine", namespace: "elsewhere", "ca.crt": "x", more: "y" },
      }),
      secrets: ["one", "some"],
    },
    {
      name: "create a Secret of another type",
      act: (server) =>
        granted(server, "POST", `${core}/secrets`, {
          metadata: { name: "opaque", annotations: { [nameAnnotation]: "robot" } },
          type: "Opaque",
        }),
      secrets: ["one", "opaque", "some"],
    },
    {
      name: "overwrite the CA certificate",
      act: change("one", { data: { "ca.crt": btoa("y") } }),
      secrets: ["one", "opaque", "some"],
    },
    {
      name: "remove a token",
      act: change("some", { data: { token: null } }),
      secrets: ["one", "opaque", "some"],
    },
    { name: "delete a Secret that the account lists", act: remove("secrets", "one"), secrets: ["opaque", "some"] },
    {
      name: "recreate it, and create another account with its Secret",
      async act(server) {
        await addSecret("one", "robot")(server);
        await addAccount("clerk")(server);
        await addSecret("clerks", "clerk")(server);
      },
      secrets: ["clerks", "one", "opaque", "some"],
    },
    { name: "delete the account", act: remove("serviceaccounts", "robot"), secrets: ["clerks", "opaque"] },
  ];

  interface Read {
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly data?: Readonly<Record<string, string>>;
    readonly secrets?: readonly { readonly name: string }[];
  }

  async function listOf(server: Server, plural: string): Promise<readonly Read[]> {
    const { body } = await server.request("GET", `${core}/${plural}`);
    return (body as { readonly items: readonly Read[] }).items;
  }

  interface Scene {
    readonly secrets: Readonly<Record<string, { readonly data: Readonly<Record<string, unknown>> }>>;
    /** The lists of the ServiceAccounts, by name. */
    readonly lists: object;
  }

  /** Reads the state, with uids replaced by their owners' names and tokens by their claims. */
  async function look({ server }: Side): Promise<Scene> {
    const [secrets, accounts] = await Promise.all([listOf(server, "secrets"), listOf(server, "serviceaccounts")]);
    const whose = (text: string): string =>
      accounts.reduce((rest, { metadata: { uid, name } }) => rest.replaceAll(uid, `UID of ${name}`), text);
    const comparable = ([key, value]: readonly [string, string]): readonly [string, unknown] => {
      const text = atob(value);
      if (key === "ca.crt" && text.includes("CERTIFICATE")) return [key, "AUTHORITY"];
      const payload = text.split(".")[1] ?? "";
      return [key, payload === "" ? text : whose(Buffer.from(payload, "base64url").toString())];
    };
    const shown = secrets.map(({ metadata: { name, annotations = {}, labels }, data = {} }) => [
      name,
      {
        labels,
        annotations: JSON.parse(whose(JSON.stringify(annotations))) as object,
        data: Object.fromEntries(Object.entries(data).map(comparable)),
      },
    ]);
    const own = accounts.filter(({ metadata }) => metadata.name !== "default");
    return {
      secrets: Object.fromEntries(shown) as Scene["secrets"],
      lists: Object.fromEntries(own.map(({ metadata, secrets: listed = [] }) => [metadata.name, listed])),
    };
  }

  const tokenIn = async (server: Server, name: string): Promise<string> =>
    atob((await listOf(server, "secrets")).find(({ metadata }) => metadata.name === name)?.data?.["token"] ?? "");

  /** The TokenReview of each side's token. */
  async function reviewed(tokens: readonly string[]): Promise<readonly unknown[]> {
    return await Promise.all(
      sides.all().map(async ({ server }, index) => {
        const spec = { token: tokens[index] };
        const review = await granted(server, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec });
        const { authenticated, user, error, audiences } = review.status as Readonly<Record<string, object | undefined>>;
        return { authenticated, user: { ...user, uid: "as read" }, error, audiences };
      }),
    );
  }

  const isFull = ({ data }: Scene["secrets"][string]): boolean =>
    data["ca.crt"] === "AUTHORITY" && data["namespace"] !== undefined && data["token"] !== undefined;

  test("are created, repaired, authenticate, and are deleted with their account", async () => {
    const tokensOf = (name: string): Promise<readonly string[]> =>
      Promise.all(sides.all().map(({ server }) => tokenIn(server, name)));
    const play = async ({ name, act, secrets }: Step): Promise<void> => {
      await Promise.all(sides.all().map(({ server }) => act(server)));
      const isSo = (scenes: readonly Scene[]): boolean =>
        scenes.every(
          (scene) =>
            Bun.deepEquals(scene, scenes[0]) &&
            Object.keys(scene.secrets).toSorted().join() === secrets.join() &&
            Object.entries(scene.secrets).every(([each, secret]) => each === "opaque" || isFull(secret)),
        );
      await eventually(() => Promise.all(sides.all().map(look)), isSo);
      await Bun.sleep(300);
      const scenes = await Promise.all(sides.all().map(look));
      for (const scene of scenes) expect({ step: name, ...scene }).toEqual({ step: name, ...(scenes[0] as Scene) });
      expect({ step: name, isSo: isSo(scenes) }).toEqual({ step: name, isSo: true });
    };
    const agree = (results: readonly unknown[]): unknown => {
      for (const each of results) expect(each).toEqual(results[0]);
      return results[0];
    };

    await Promise.all(sides.all().map((side) => side.begin()));
    await Promise.all(sides.all().map(({ server }) => server.createNamespace("shop")));
    const [first, ...rest] = steps;
    if (first !== undefined) await play(first);
    const tokens = await tokensOf("one");
    const name = "system:serviceaccount:shop:robot";
    expect(agree(await reviewed(tokens))).toMatchObject({ authenticated: true, user: { username: name } });
    for (const step of rest.slice(0, -1)) await play(step);
    const again = await tokensOf("one");
    for (const [index, token] of again.entries()) expect(token).not.toBe(tokens[index] ?? "");
    // kube-apiserver caches for ten seconds that a token was valid.
    await Bun.sleep(11_000);
    // The token of the deleted Secret: it has the same claims but another random signature.
    expect(agree(await reviewed(tokens))).toMatchObject({
      error: expect.stringContaining("does not match server's copy") as string,
    });
    expect(agree(await reviewed(again))).toMatchObject({ authenticated: true });
    await Promise.all(
      sides
        .all()
        .map(({ server }) =>
          change("one", { metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } } })(server),
        ),
    );
    await Bun.sleep(11_000);
    expect(agree(await reviewed(again))).toMatchObject({
      error: expect.stringContaining("has been marked invalid") as string,
    });
    for (const step of rest.slice(-1)) await play(step);
    expect(agree(await reviewed(again))).toMatchObject({ error: expect.stringContaining("invalidated") as string });

    const [theirs = [], ours = []] = await Promise.all(sides.all().map((side) => side.writes()));
    const distinct = (writes: readonly unknown[]): readonly string[] =>
      writes
        .map((each) =>
          JSON.stringify(each, (key, value: unknown) => (key === "data" ? Object.keys(value ?? {}) : value)),
        )
        .map((each) => each.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID"))
        .toSorted();
    expect(distinct(ours)).toEqual(distinct(theirs));
    expect(theirs).toHaveLength(11);
  }, 240_000);
});
