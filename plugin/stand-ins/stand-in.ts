/** The name by which this program was called: a link to it with another name is another program. */

/** The programs that it can replace: those that envtest starts. */
export const standIns = ["kube-apiserver", "etcd", "kubectl"] as const;

/** The name of one of them. */
export type StandIn = (typeof standIns)[number];

/** The stand-in with this name; undefined for the program itself, whatever it is called. */
export function standInOf(name: string): StandIn | undefined {
  return standIns.find((standIn) => standIn === name);
}
