/** Resolves the words of `watch` to controllers, kinds and objects. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { type DiscoveredKind, type Discovery, discover, findKind } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { objectCandidates } from "../../connections/cluster-candidates.ts";
import type { Candidate, Typing } from "../../cli/command.ts";
import type { Io } from "../../cli/io.ts";
import { controllersNamed, type Naming } from "../../names/controller-names.ts";
import { isControllerFile } from "../../cli/controller-files.ts";
import { distance } from "../../cli/nearest.ts";
import { namesObject } from "../../names/object-names.ts";
import { UserError } from "../../cli/user-error.ts";

/** A kind, or one object of it. */
export interface WatchedKind {
  readonly kind: Kind;
  readonly name?: string;
}

/** The controllers and kinds to watch. */
export interface WatchTargets {
  readonly controllers: readonly ControllerDefinition[];
  readonly kinds: readonly WatchedKind[];
}

/** `kind/replicaset` names the kind if a controller has the same name. */
const kindPrefix = "kind/";

/** Whether the word names a controller. */
function isController(word: string): boolean {
  const wanted = word.toLowerCase();
  return (
    isControllerFile(word) ||
    wanted === "all" ||
    builtInControllers.some(({ name, aliases }) => name === wanted || aliases.includes(wanted))
  );
}

/** The words that name a controller, and those that need the server's discovery. */
function splitWords(words: readonly string[]): {
  readonly controllers: readonly string[];
  readonly kinds: readonly string[];
} {
  // Like kubectl, accepts several kinds separated by commas.
  const all = words.flatMap((word) => (word.includes("/") ? [word] : word.split(","))).filter((word) => word !== "");
  return { controllers: all.filter(isController), kinds: all.filter((word) => !isController(word)) };
}

/**
 * Resolves each word to a controller or else, with the server's discovery, to a kind by any name that kubectl accepts: `pods`, `po`,
 * `widgets.example.com`, `kind/replicaset`, `pod/web-1`.
 * @throws UserError for an unknown word or a kind that cannot be watched; StatusError, TransportError.
 */
export async function watchTargets(words: readonly string[], client: Client, io: Naming): Promise<WatchTargets> {
  if (words.length === 0) {
    throw new UserError("nothing to watch", [
      "name kinds (pods, deploy, widgets.example.com), one object (deploy/web), or controllers (replicaset)",
    ]);
  }
  const split = splitWords(words);
  const controllers = split.controllers.length === 0 ? [] : controllersNamed(split.controllers, io);
  if (split.kinds.length === 0) return { controllers, kinds: [] };
  const found = await discover(client);
  const named = split.kinds.map((word) => {
    const bare = word.startsWith(kindPrefix) ? word.slice(kindPrefix.length) : word;
    const [type = "", name, ...rest] = bare.split("/");
    if (type === "" || name === "" || rest.length > 0) {
      throw new UserError(`${JSON.stringify(word)} names neither a kind nor an object`, [
        "write TYPE or TYPE/NAME, as in pods or deploy/web",
      ]);
    }
    const kind = findKind(found.kinds, type);
    if (kind === undefined) throw unknownType(type, found, io.calledAs);
    mustBeWatchable(kind);
    return { kind, ...(name !== undefined && { name }) };
  });
  const read = controllers.flatMap(({ watches }) => watches.map((watched) => resourceOf(watched.kind)));
  const both = named.find(({ kind, name }) => name !== undefined && read.includes(resourceOf(kind)));
  if (both !== undefined) {
    throw new UserError(`${resourceOf(both.kind)} is watched for a controller already, all of it`, [
      "name the object alone, without the controller",
    ]);
  }
  const twice = named.find(({ kind }, index) => named.findIndex((other) => other.kind === kind) !== index);
  if (twice !== undefined) {
    throw new UserError(`${resourceOf(twice.kind)} is named twice`, [
      "name a kind once; -l and --field-selector choose among its objects",
    ]);
  }
  return { controllers, kinds: named };
}

function unknownType(type: string, { kinds, unavailable }: Discovery, calledAs: string): UserError {
  const near = nearest(type.toLowerCase(), kinds);
  const silent = unavailable.map(({ groupVersion }) => groupVersion).join(", ");
  return new UserError(`${JSON.stringify(type)} is neither a controller nor a resource type of the server`, [
    ...(near === undefined ? [] : [`did you mean ${resourceOf(near)}?`]),
    `\`kubectl api-resources\` lists the kinds, \`${calledAs} controllers\` the controllers`,
    ...(silent === "" ? [] : [`the server could not list these API groups: ${silent}`]),
  ]);
}

/** The kind with a similar name: one or two letters different, or with the same prefix. */
function nearest(wanted: string, kinds: readonly DiscoveredKind[]): DiscoveredKind | undefined {
  const away = ({ plural, singular }: DiscoveredKind): number =>
    Math.min(...[plural, singular].map((name) => (name.startsWith(wanted) ? 1 : distance(name, wanted))));
  return kinds.filter((kind) => away(kind) <= 2).sort((a, b) => away(a) - away(b))[0];
}

function mustBeWatchable(kind: DiscoveredKind): void {
  if (kind.verbs.includes("watch") && kind.verbs.includes("list")) return;
  throw new UserError(`cannot watch ${resourceOf(kind)}: the server does not support watching it`, [
    `its verbs are ${kind.verbs.join(", ")}`,
  ]);
}

/** Completion: the controllers, and the kinds of the cluster with their objects. */
export async function watchCandidates(io: Io, typing: Typing): Promise<readonly Candidate[]> {
  const controllers = builtInControllers.map(({ name, purpose }) => ({ value: name, about: `controller: ${purpose}` }));
  const ofCluster = await objectCandidates(io, typing).catch(() => []);
  return typing.before.length > 0 || namesObject(typing.typed) ? ofCluster : [...controllers, ...ofCluster];
}
