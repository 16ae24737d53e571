/** A kubeconfig for the firehose of scripts/bench-peers. `ca` is the file of its certificate, if it serves HTTPS. */
export function firehoseKubeconfig(server: string, ca?: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "firehose", cluster: { server, ...(ca !== undefined && { "certificate-authority": ca }) } }],
    users: [{ name: "nobody", user: {} }],
    contexts: [{ name: "firehose", context: { cluster: "firehose", user: "nobody" } }],
    "current-context": "firehose",
  });
}
