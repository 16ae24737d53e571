/** Which nodes are this kubelet's. */
import type { Node } from "../../api/types.ts";
import { kwokAnnotation, nodeAnnotation, silentAnnotation } from "./annotations.ts";

/** The node says that its pods are simulated. */
export function isSimulated({ metadata }: Node): boolean {
  const { annotations = {} } = metadata;
  return annotations[nodeAnnotation] === "simulated" || annotations[kwokAnnotation] === "fake";
}

/** Its kubelet is to look dead: nothing on it changes any more. */
export function isSilent({ metadata }: Node): boolean {
  return metadata.annotations?.[silentAnnotation] === "true";
}
