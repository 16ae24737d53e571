/**
 * Establishes definitions whose names were accepted: from then on their objects are served. Source: apiextensions-apiserver v0.36
 * pkg/controller/establish.
 */
import type { Server } from "../context/server.ts";
import { setCondition } from "../registry/apiextensions/definition/conditions.ts";
import { isTrue } from "../meta/conditions.ts";
import { definitionNamed, writeStatus } from "./definitions.ts";

/** Establishes a definition. */
export function establish(server: Server, name: string): void {
  const definition = definitionNamed(server, name);
  if (definition === undefined || !isTrue(definition, "NamesAccepted") || isTrue(definition, "Established")) return;
  const accepted = {
    type: "Established",
    status: "True",
    reason: "InitialNamesAccepted",
    message: "the initial names have been accepted",
    now: server.timeline.now(),
  } as const;
  setCondition(definition, accepted);
  writeStatus(server, definition);
}
