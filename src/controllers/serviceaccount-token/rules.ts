/** The rules of tokens in Secrets, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const looksAt = [
  "annotations kubernetes.io/service-account.name and kubernetes.io/service-account.uid",
  "ServiceAccount",
];

interface AccountFacts extends Facts {
  readonly account: string;
}

/** A dangling reference is removed. */
export const unlist: Rule<AccountFacts> = rule<AccountFacts>({
  id: "unlist",
  looksAt: ["deleted Secrets of the type kubernetes.io/service-account-token", "secrets of the ServiceAccount"],
  chooses: "When the Secret of a token is deleted, it is removed from the secrets of its ServiceAccount.",
  sentence: ({ account }) => `it is gone, and ServiceAccount ${account} lists it → remove it from the list`,
  example: { account: "robot" },
  source: "tokens_controller.go syncSecret, removeSecretReference",
});

/** There is no signing key here. */
export const noKeys: Rule<Facts> = rule<Facts>({
  id: "no-keys",
  looksAt: ["the key that signs tokens of ServiceAccounts"],
  chooses: "Without the key that signs tokens of ServiceAccounts, Secrets are left alone; sandboxes have the key.",
  sentence: () => "the key that signs tokens is not available here → leave it to a controller that has it",
  example: {},
  source: "cmd/kube-controller-manager/app/service_accounts.go newServiceAccountTokenController",
});

/** A token without its ServiceAccount is deleted. */
export const orphaned: Rule<AccountFacts> = rule<AccountFacts>({
  id: "orphaned",
  looksAt,
  chooses: "The Secret of a token is deleted when its ServiceAccount is gone or has been recreated.",
  sentence: ({ account }) => `there is no ServiceAccount ${account} with the uid in its annotation → delete it`,
  example: { account: "robot" },
  source: "tokens_controller.go syncSecret, syncServiceAccount",
});

/** The cache is out of date. */
export const outdated: Rule<Facts> = rule<Facts>({
  id: "outdated",
  looksAt: ["resourceVersion of the Secret, as the API server has it"],
  chooses: "A Secret that is newer than the cache is left alone until the cache shows the change.",
  sentence: () => "it is newer than the cache → wait for the cache",
  example: {},
  source: "tokens_controller.go generateTokenIfNeeded",
});

interface LackingFacts extends AccountFacts {
  readonly lacks: readonly string[];
}

/** A Secret gets what it lacks. */
export const fill: Rule<LackingFacts> = rule<LackingFacts>({
  id: "fill",
  looksAt: [...looksAt, "ca.crt, namespace and token in data"],
  chooses:
    "The Secret gets a token that is valid as long as the Secret exists, the namespace, the API server's certificate authority, and an annotation with the ServiceAccount's uid. An existing token or namespace stays.",
  sentence: ({ lacks, account }) => `it lacks ${lacks.join(", ")} of ServiceAccount ${account} → write them`,
  example: { lacks: ["ca.crt", "namespace", "token"], account: "robot" },
  source: "tokens_controller.go generateTokenIfNeeded",
});

/** All of them. */
export const rules: readonly Rule[] = [unlist, noKeys, orphaned, outdated, fill];
