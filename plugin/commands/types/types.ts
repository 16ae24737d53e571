import { CustomResourceDefinitions } from "../../../src/api/kinds.ts";
import { type Command, flag } from "../../cli/command.ts";
import { UserError } from "../../cli/user-error.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { readingConnection } from "../../connections/reading-connection.ts";
import type { Session } from "../../cli/session.ts";
import type { Globals } from "../../connections/globals.ts";
import { readManifests } from "../../manifests/manifests.ts";
import { type Definition, typesOf } from "./type-text.ts";

const options = {
  fromCluster: flag("--from-cluster", "read the definitions of the current context's cluster, all or those named"),
} as const;

interface TypesRequest {
  readonly words: readonly string[];
  readonly fromCluster: boolean;
  readonly flags: Globals;
}

/** `types`. */
export const types: Command = clusterCommand({
  name: "types",
  about: "Print TypeScript for custom resources: their kinds, and the types of their objects",
  description:
    "Prints a TypeScript module for CustomResourceDefinitions: a kind for each served version, as kubectl-reconcile's controllers use " +
    "them, and the types of its objects, with the descriptions of the schema. The same definitions give the same text. A field that " +
    "the schema leaves open has the type `unknown`.\n\n" +
    "Exit codes: 0 printed; 2 wrong arguments, no definition found, or no connection.",
  arguments: {
    name: "[crd...]",
    about: "files, folders, URLs or - (standard input); with --from-cluster names, such as foos.example.com",
  },
  options,
  examples: [
    { comment: "From files", line: "types config/crd/ > kinds.ts" },
    {
      comment: "From the cluster, one definition",
      line: "types --from-cluster certificates.cert-manager.io > kinds.ts",
    },
  ],
  onSignal: "exit",
  complete({ arguments: words, options: { fromCluster, ...flags } }): TypesRequest {
    return { words, fromCluster: fromCluster === true, flags };
  },
  validate({ words, fromCluster }) {
    if (words.length === 0 && !fromCluster)
      throw new UserError("no definition given", ["name files with CustomResourceDefinitions, or add --from-cluster"]);
  },
  async run(request, session) {
    const definitions = request.fromCluster ? await fromCluster(request, session) : await fromFiles(request, session);
    session.io.out.write(typesOf(definitions));
    return 0;
  },
});

async function fromFiles({ words }: TypesRequest, { io }: Session): Promise<readonly Definition[]> {
  const manifests = await readManifests(words, { io, option: "types" });
  const objects = manifests.map(({ object }) => object);
  const found = objects.flatMap(definitionIn);
  if (found.length > 0) return found;
  throw new UserError(`no CustomResourceDefinition of apiextensions.k8s.io/v1 in ${words.join(", ")}`, [
    `it has ${objects.length === 0 ? "no objects" : [...new Set(objects.map(({ kind }) => kind))].join(", ")}`,
  ]);
}

async function fromCluster({ words, flags }: TypesRequest, { io }: Session): Promise<readonly Definition[]> {
  const reading = await readingConnection({ ...flags, allNamespaces: true }, io);
  try {
    const { items } = await reading.client.list(CustomResourceDefinitions, {});
    const found = items.flatMap(definitionIn);
    const unknown = words.find((word) => !found.some(({ spec }) => word === `${spec.names.plural}.${spec.group}`));
    if (unknown !== undefined)
      throw new UserError(`the cluster has no CustomResourceDefinition ${unknown}`, ["`kubectl get crd` lists them"]);
    if (found.length === 0) throw new UserError("the cluster has no CustomResourceDefinitions");
    return words.length === 0
      ? found
      : found.filter(({ spec }) => words.includes(`${spec.names.plural}.${spec.group}`));
  } catch (error) {
    throw reading.translateError(error);
  } finally {
    await reading.close();
  }
}

/** The definition, if the object is one. */
function definitionIn(object: object): readonly Definition[] {
  // Only the fields used here are checked; the server or kubectl has validated the rest.
  const { kind, spec } = object as Partial<Definition> & { readonly kind?: string };
  const names = spec?.names;
  const isOne = (kind === undefined || kind === "CustomResourceDefinition") && Array.isArray(spec?.versions);
  return isOne && typeof names?.kind === "string" && typeof names.plural === "string" ? [{ spec }] : [];
}
