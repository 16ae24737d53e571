/** Writing a kubeconfig with one context. */

/** What a kubeconfig says about its one cluster. */
export interface KubeconfigOptions {
  /** The name of the cluster, the user and the context. */
  readonly name: string;
  readonly url: string;
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly token: string;
  /** The namespace of the context. */
  readonly namespace: string;
}

/** The kubeconfig as YAML. It contains the token: write it to a file that only its owner can read. */
export function kubeconfigText({ name, url, ca, token, namespace }: KubeconfigOptions): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${url}
      certificate-authority-data: ${btoa(ca)}
users:
  - name: ${name}
    user:
      token: ${token}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${name}
      namespace: ${namespace}
current-context: ${name}
`;
}
