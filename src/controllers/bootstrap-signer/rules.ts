/** The rules of the signer of cluster-info, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { Changes } from "./signatures.ts";

/** There is nothing to sign. */
export const noContent: Rule<Facts> = rule<Facts>({
  id: "no-content",
  looksAt: ["data.kubeconfig of ConfigMap kube-public/cluster-info"],
  chooses: "Without data.kubeconfig nothing is signed, and existing signatures stay.",
  sentence: () => "it has no data.kubeconfig → leave it alone",
  example: {},
  source: "bootstrapsigner.go signConfigMap",
});

const looksAt = [
  "data of ConfigMap kube-public/cluster-info",
  "Secrets of type bootstrap.kubernetes.io/token in kube-system: name, token-id, token-secret, expiration, usage-bootstrap-signing",
];

interface ChangeFacts extends Facts, Changes {}

function inWords({ added, replaced, removed }: Changes): string {
  const parts = [
    ...(added.length === 0 ? [] : [`not signed by ${added.join(", ")}`]),
    ...(replaced.length === 0 ? [] : [`another signature of ${replaced.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`signed by ${removed.join(", ")}, which may not`]),
  ];
  return parts.join("; ");
}

/** Signatures do not match the tokens. */
export const sign: Rule<ChangeFacts> = rule<ChangeFacts>({
  id: "sign",
  looksAt,
  chooses:
    "data.kubeconfig is signed with each bootstrap token that is meant for signing, has not expired and has the id in its Secret's name: jws-kubeconfig-ID, a detached JWS by HMAC-SHA256. Other signatures are removed.",
  sentence: (changes) => `${inWords(changes)} → update it`,
  example: { added: ["abc123"], replaced: [], removed: ["def456"] },
  source: "bootstrapsigner.go signConfigMap, util.go validateSecretForSigning",
});

/** All signatures are in place. */
export const steady: Rule<{ readonly tokens: readonly string[] }> = rule<{ readonly tokens: readonly string[] }>({
  id: "steady",
  looksAt,
  chooses: "Correct signatures are left alone.",
  sentence: ({ tokens }) => (tokens.length === 0 ? "no token signs it" : `it is signed by ${tokens.join(", ")}`),
  example: { tokens: ["abc123"] },
  source: "bootstrapsigner.go signConfigMap",
});

/** All of them. */
export const rules: readonly Rule[] = [noContent, sign, steady];
