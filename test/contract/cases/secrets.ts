/** Secrets whose type says what they contain. */
import { patch, paths, post, put, type Case, type Step, type Table } from "../case.ts";
import { brokenJson } from "./broken-json.ts";
import { certificate, keys } from "./certificates/key-pair.ts";

type Json = Readonly<Record<string, unknown>>;

const { secrets } = paths;
const named = { metadata: { name: "a" } };
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");
const typed = (type: string, data: Readonly<Record<string, string>> = {}, more: Json = {}): Json => ({
  ...named,
  type: `kubernetes.io/${type}`,
  data: Object.fromEntries(Object.entries(data).map(([key, content]) => [key, base64(content)])),
  ...more,
});
const dry = (body: Json): Step => post(secrets, body, "dryRun=All");
const changed = (body: Json): Step => patch("merge", `${secrets}/a`, body, "dryRun=All");

const registries = (content: string | Uint8Array): Step =>
  dry({ ...named, type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64(content) } });

const depth = 10_001;

const cases: readonly Case[] = [
  {
    name: "credentials for registries are an object in JSON",
    steps: [
      "{}",
      "null",
      ' {"auths": {"r": {"auth": "YTpi"}}}\n',
      "[]",
      '"a"',
      "1",
      "-0.5e3",
      "true",
      '{"a":[1e999]}',
    ].map(registries),
  },
  { name: "broken JSON in credentials for registries", steps: brokenJson.map(registries) },
  {
    name: "bytes that are not text, and deep lists, in credentials for registries",
    steps: [
      registries(Uint8Array.of(0xff)),
      registries(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)),
      registries(`{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`),
      registries(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`),
    ],
  },
  {
    name: "what each type requires",
    steps: [
      dry(typed("dockercfg")),
      dry(typed("dockercfg", { ".dockercfg": "x" })),
      dry(typed("dockercfg", { ".dockercfg": "{}" })),
      dry(typed("dockerconfigjson", { ".dockercfg": "{}" })),
      dry(typed("basic-auth")),
      dry(typed("basic-auth", { username: "" })),
      dry(typed("basic-auth", { password: "p" })),
      dry(typed("ssh-auth")),
      dry(typed("ssh-auth", { "ssh-privatekey": "" })),
      dry(typed("ssh-auth", { "ssh-privatekey": "k" })),
      dry(typed("tls")),
      dry(typed("tls", { "tls.crt": "" })),
      dry(typed("tls", { "tls.key": "" })),
      dry(typed("service-account-token")),
      dry(
        typed(
          "service-account-token",
          {},
          { metadata: { name: "a", annotations: { "kubernetes.io/service-account.name": "" } } },
        ),
      ),
      dry(
        typed(
          "service-account-token",
          {},
          { metadata: { name: "a", annotations: { "kubernetes.io/service-account.name": "s" } } },
        ),
      ),
      dry(typed("other")),
      dry({ ...typed("ssh-auth"), stringData: { "ssh-privatekey": "k" } }),
    ],
  },
  {
    name: "an update keeps the type and what it requires",
    steps: [
      post(secrets, typed("ssh-auth", { "ssh-privatekey": "k" })),
      changed({ data: { "ssh-privatekey": "" } }),
      changed({ data: { "ssh-privatekey": null } }),
      changed({ data: { known: "aA==" } }),
      changed({ type: "Opaque" }),
      changed({ type: "kubernetes.io/dockercfg" }),
      changed({ type: "" }),
      put(`${secrets}/a`, { ...named, data: { "ssh-privatekey": "aA==" } }, "dryRun=All"),
    ],
  },
  {
    name: "immutable credentials",
    steps: [
      post(secrets, { ...typed("dockercfg", { ".dockercfg": "{}" }), immutable: true }),
      changed({ data: { ".dockercfg": "eA==" } }),
      changed({ immutable: null, data: { ".dockercfg": null } }),
      changed({ metadata: { labels: { a: "b" } } }),
      changed({ type: "Opaque", stringData: { a: "b" } }),
    ],
  },
];

const pem = (type: string, der: string, headers = ""): string =>
  `-----BEGIN ${type}-----\n${headers}${der}\n-----END ${type}-----\n`;
const certificatePem = pem("CERTIFICATE", certificate);
const keyPem = pem("EC PRIVATE KEY", keys.ec);
const pair = (crt: string, key: string): Step => dry(typed("tls", { "tls.crt": crt, "tls.key": key }));
const other = pem("X509 CRL", "AAAA");

const keyPairs: readonly Case[] = [
  {
    name: "a certificate and its key",
    steps: [
      pair(certificatePem, keyPem),
      pair(certificatePem, pem("PRIVATE KEY", keys.pkcs8)),
      pair(`text\n${other}${certificatePem}${pem("CERTIFICATE", "AAAA")}`, `${pem("EC PARAMETERS", "AAAA")}${keyPem}`),
      pair(certificatePem, pem("ANY PRIVATE KEY", keys.ec)),
    ],
  },
  {
    name: "a warning about a certificate and a key that do not match",
    steps: [
      pair(certificatePem, pem("EC PRIVATE KEY", keys.otherEc)),
      pair(certificatePem, pem("PRIVATE KEY", keys.ed25519)),
      pair("", ""),
      pair("crt", "key"),
      pair(certificatePem, ""),
      pair(certificatePem, certificatePem),
      pair(certificatePem, `${certificatePem}${other}`),
      pair(certificatePem, other),
      pair(keyPem, certificatePem),
      pair(`${keyPem}${other}`, keyPem),
      pair(other, keyPem),
      pair(pem("CERTIFICATE", "AAAA"), keyPem),
      pair(certificatePem, pem("PRIVATE KEY", "AAAA")),
      pair(certificatePem, pem("PRIVATE KEYS", keys.ec)),
    ],
  },
  {
    name: "a warning at each update of a Secret whose key does not match",
    steps: [
      post(secrets, typed("tls", { "tls.crt": "crt", "tls.key": "key" })),
      changed({ metadata: { labels: { a: "b" } } }),
      changed({ data: { "tls.crt": base64(certificatePem) } }),
      changed({ data: { "tls.crt": base64(certificatePem), "tls.key": base64(keyPem) } }),
    ],
  },
];

export const secretContents: Table = { name: "secrets", cases: [...cases, ...keyPairs] };
