/** The rules of the publisher of the root certificate, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

/** The CA is unknown. */
export const noAuthority: Rule<Facts> = rule<Facts>({
  id: "no-authority",
  looksAt: ["certificate-authority or certificate-authority-data of the context"],
  chooses:
    "Without a certificate authority of the API server nothing is published, because the context does not say what to trust. A sandbox publishes its own authority itself.",
  sentence: () => "the context names no certificate authority → publish none",
  example: {},
  source: "cmd/kube-controller-manager/app/certificates.go getKubeAPIServerCAFileContents",
});

interface NamespaceFacts extends Facts {
  readonly namespace: string;
}

/** A namespace without the ConfigMap gets it. */
export const publish: Rule<NamespaceFacts> = rule<NamespaceFacts>({
  id: "publish",
  looksAt: ["ConfigMap kube-root-ca.crt in the namespace"],
  chooses:
    "Every namespace has a ConfigMap kube-root-ca.crt with the API server's certificate authority, for its pods.",
  sentence: ({ namespace }) => `namespace ${namespace} has no ConfigMap kube-root-ca.crt → create it`,
  example: { namespace: "shop" },
  source: "publisher.go syncNamespace",
});

interface OutdatedFacts extends Facts {
  readonly what: readonly string[];
}

/** A ConfigMap with other content is corrected. */
export const mend: Rule<OutdatedFacts> = rule<OutdatedFacts>({
  id: "mend",
  looksAt: ["data of the ConfigMap", "annotation kubernetes.io/description"],
  chooses: "The ConfigMap contains the certificate authority, nothing else, and some description.",
  sentence: ({ what }) => `${what.join(", ")} → update it`,
  example: { what: ["data has another ca.crt"] },
  source: "publisher.go syncNamespace",
});

/** All of them. */
export const rules: readonly Rule[] = [noAuthority, publish, mend];
