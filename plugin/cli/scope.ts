/** Options that exclude each other in every command that has them. */
import { UserError } from "./user-error.ts";

/** The options that determine where a command works. */
export interface Scope {
  readonly allNamespaces?: true;
  readonly namespace?: string;
  readonly sandbox?: true;
  readonly manifests?: readonly string[];
  readonly load?: string;
}

/** @throws UserError for -A together with -n. */
export function refuseTwoScopes({ allNamespaces, namespace }: Scope): void {
  if (allNamespaces !== true || namespace === undefined) return;
  throw new UserError("-A and -n are mutually exclusive", ["use only one of them"]);
}

/** `instead`: what the command does to a cluster. @throws UserError for -f and --load without --sandbox. */
export function refuseManifestsOnCluster({ sandbox, manifests, load }: Scope, instead: string): void {
  if (sandbox === true) return;
  if (load !== undefined)
    throw new UserError("--load is for --sandbox, which begins with that state", ["add --sandbox"]);
  if (manifests === undefined) return;
  throw new UserError(`-f is for --sandbox: against a cluster ${instead}`, ["add --sandbox, or use kubectl apply -f"]);
}
