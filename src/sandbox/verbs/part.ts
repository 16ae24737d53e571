/** `pods/resize` and `pods/ephemeralcontainers`: updates of one part of a pod. Source: kubernetes v1.36 pkg/registry/core/pod. */
import { jsonOf } from "../decode.ts";
import { fieldsIn, type ApiObject, type Fields } from "../object.ts";
import { notFound } from "../refusal.ts";
import type { Call } from "../server.ts";
import type { Entry } from "../store/entry.ts";
import { mediaTypeOf, sentObject } from "./body.ts";
import { patched } from "./patch.ts";
import { replace } from "./update.ts";

interface Answer {
  readonly status: number;
  readonly entry: Entry;
}

function there(call: Call): Entry {
  const entry = call.collection.get(call.namespace, call.name);
  if (entry === undefined) throw notFound(call.resource.asResource, call.name);
  return entry;
}

/** @throws StatusError */
export function putPart(call: Call): Answer {
  const sent = sentObject(call);
  return write(call, there(call), sent);
}

/** @throws StatusError */
export function patchPart(call: Call): Answer {
  const entry = there(call);
  const json = jsonOf(call.body, (problem) => `error decoding patch: ${problem}`);
  return write(call, entry, patched(call, mediaTypeOf(call), entry.object, json));
}

function write(call: Call, entry: Entry, sent: ApiObject): Answer {
  const old = entry.object;
  const spec: Fields =
    call.subresource === "resize"
      ? { ...old.spec, containers: resized(old, sent, "containers"), ...initResized(old, sent) }
      : { ...old.spec, ephemeralContainers: sent.spec?.["ephemeralContainers"] };
  const object: ApiObject = { ...old, metadata: { ...old.metadata }, spec };
  return { status: 200, entry: replace(call, object, entry) };
}

function initResized(old: ApiObject, sent: ApiObject): Fields {
  return old.spec?.["initContainers"] === undefined ? {} : { initContainers: resized(old, sent, "initContainers") };
}

/** The containers as they are, with the resources that are asked for. */
function resized(old: ApiObject, sent: ApiObject, key: string): Fields[] {
  const asked = fieldsIn(sent.spec?.[key]);
  return fieldsIn(old.spec?.[key]).map((container) => {
    const wanted = asked.find(({ name }) => name === container["name"]);
    if (wanted === undefined) return container;
    const { resources: _resources, resizePolicy: _policy, ...rest } = container;
    return {
      ...rest,
      resources: wanted["resources"] ?? {},
      ...(wanted["resizePolicy"] === undefined ? {} : { resizePolicy: wanted["resizePolicy"] }),
    };
  });
}
