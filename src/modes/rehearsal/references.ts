/** Objects that others refer to, read before they are looked up: a fork has only what was requested. */
import { objectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { KindName } from "../../trace/names.ts";
import { kindOfResource } from "../dry-run/apply.ts";
import { referencesOf } from "../dry-run/references.ts";

/** What reads them. */
export interface ReferencesOptions {
  readonly sandbox: Sandbox;
  readonly client: Client;
  /** Called with a kind whose objects cannot be read, and why. */
  readonly onUnreadable: (of: KindName, why: string) => void;
}

interface Reading {
  readonly what: string;
  readonly read: (kind: Kind) => Promise<unknown>;
}

/** Listed as a whole: for selectors, and for what a claim requests. */
const listed: readonly KindName[] = [
  { group: "", kind: "Service" },
  { group: "", kind: "Pod" },
  { group: "", kind: "PersistentVolume" },
  { group: "storage.k8s.io", kind: "StorageClass" },
  { group: "resource.k8s.io", kind: "DeviceClass" },
];

/** Reads each object once. */
export class ReferencedObjects {
  readonly #options: ReferencesOptions;
  readonly #read = new Map<string, Promise<void>>();

  constructor(options: ReferencesOptions) {
    this.#options = options;
  }

  /** Reads everything that an object names, and what it may select. Rejects only if the cluster cannot be reached. */
  async bringIn(object: StoredObject): Promise<void> {
    const { client } = this.#options;
    const { namespace = "" } = object.metadata;
    const named = referencesOf(object).map(({ to, namespace: within, name }) =>
      this.#once(to, {
        what: `get ${objectKey(within, name)}`,
        read: (kind) => client.get(kind, { namespace: within, name }),
      }),
    );
    const selected = listed.map((of) =>
      this.#once(of, {
        what: `list ${namespace}`,
        read: (kind) => client.list(kind, kind.namespaced ? { namespace } : {}),
      }),
    );
    await Promise.all([...named, ...selected]);
  }

  #once(of: KindName, { what, read }: Reading): Promise<void> {
    const name = `${of.group}/${of.kind} ${what}`;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = this.#tryTo(of, read);
    this.#read.set(name, reading);
    return reading;
  }

  async #tryTo(of: KindName, read: (kind: Kind) => Promise<unknown>): Promise<void> {
    const { sandbox, onUnreadable } = this.#options;
    const resource = sandbox.server.registry.resources.find(
      ({ group, kind }) => group === of.group && kind === of.kind,
    );
    if (resource === undefined) return;
    try {
      await read(kindOfResource(resource));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.code !== 404) onUnreadable(of, error.message);
    }
  }
}
