/**
 * Derives from the table of floors what must match it: the pictures in README files and the lint configuration `.oxlintrc.json`; and finds
 * the imports that violate it.
 */
import { parseSync } from "oxc-parser";
import { dirname, join, relative } from "node:path";
import { forbiddenGlobals, levels, mayImport, type Place, type Room, roomOf, rooms } from "./floors.ts";

const start = "<!-- floors: made by `npm run check -- --write` from scripts/floors.ts -->";
const end = "<!-- end of floors -->";

/** The picture of some floors, highest floor first. */
function picture(places: readonly (Place | Room)[]): string {
  const floors = [...new Set(places.map(({ floor }) => floor))].sort((a, b) => b - a);
  const rows = floors.flatMap((floor) =>
    places
      .filter((place) => place.floor === floor)
      .map(({ folder, owns }, index) => `| ${index === 0 ? floor : ""} | \`${folder}/\` | ${owns} |`),
  );
  return [start, "| floor | folder | owns |", "| --- | --- | --- |", ...rows, end].join("\n");
}

/** `readme` with its picture of the floors replaced by the current one. @throws Error if it has no place for it. */
export function withPicture(readme: string, places: readonly (Place | Room)[]): string {
  const from = readme.indexOf(start);
  const to = readme.indexOf(end);
  if (from < 0 || to < 0)
    throw new Error(`a README has no place for its picture: it needs the lines\n${start}\n${end}`);
  return readme.slice(0, from) + picture(places) + readme.slice(to + end.length);
}

/** The lint configuration, as the text of `.oxlintrc.json`. */
export function lintConfig(): string {
  const globals = (allowed: readonly string[]): unknown => [
    "error",
    ...forbiddenGlobals
      .filter((name) => !allowed.includes(name))
      .map((name) => ({
        name,
        message: "Only src/platform touches it: take a Timeline, or a function of the platform.",
      })),
  ];
  const config = {
    plugins: ["typescript", "import", "unicorn", "oxc"],
    categories: { correctness: "error", suspicious: "error" },
    rules: {
      // Types count: a reader of one file of a cycle must read them all.
      "import/no-cycle": ["error", { ignoreTypes: false }],
      "typescript/no-floating-promises": "error",
      "typescript/no-misused-promises": "error",
      "typescript/switch-exhaustiveness-check": "error",
      "typescript/no-explicit-any": "error",
      "typescript/only-throw-error": "error",
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-await-in-loop": "off",
      "no-shadow": "off",
      "import/no-unassigned-import": "off",
      "unicorn/consistent-function-scoping": "off",
      "unicorn/no-array-sort": "off",
      "unicorn/no-array-reverse": "off",
      "typescript/no-unsafe-type-assertion": "off",
      "typescript/no-unnecessary-type-arguments": "off",
      "typescript/consistent-return": "off",
      "no-underscore-dangle": "off",
      // fast-check is used as `fc.…`, as in its manual.
      "import/no-named-as-default-member": "off",
      "preserve-caught-error": "error",
    },
    overrides: [
      {
        files: rooms.filter((room) => room.folder !== "src/platform").map((room) => `${room.folder}/**/*.ts`),
        rules: { "no-restricted-globals": globals([]) },
      },
      { files: ["src/api/time.ts"], rules: { "no-restricted-globals": globals(["Date"]) } },
    ],
    ignorePatterns: ["dist", "node_modules", "scripts/control-plane", "scripts/bench-peers"],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** An import of one of our files by another; `to` is the specifier as written if the target is not one of our files. */
interface Import {
  readonly from: string;
  readonly to: string;
  readonly isOwn: boolean;
}

/** All imports of `src` and `plugin`, type imports included. */
async function importsOf(top: string): Promise<readonly Import[]> {
  const imports: Import[] = [];
  for (const from of [...new Bun.Glob("{src,plugin}/**/*.ts").scanSync(top)].sort()) {
    const text = await Bun.file(join(top, from)).text();
    const { module } = parseSync(from, text);
    const targets = [
      ...module.staticImports.map((entry) => entry.moduleRequest.value),
      ...module.staticExports.flatMap((entry) => entry.entries.flatMap((e) => e.moduleRequest?.value ?? [])),
      ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
    ];
    for (const target of targets) {
      const isOwn = target.startsWith(".");
      imports.push({ from, to: isOwn ? relative(top, join(top, dirname(from), target)) : target, isOwn });
    }
  }
  return imports;
}

export interface Floors {
  /** Imports that go up or sideways, at any depth, or import what only one place may; one line each. */
  readonly broken: readonly string[];
  /** Of each folder that has floors inside. */
  readonly density: ReadonlyMap<string, Density>;
}

/** How tightly the places of a folder are coupled; its places are its subfolders and each file directly in it. */
export interface Density {
  readonly places: number;
  /** Pairs of places where one imports the other. */
  readonly arrows: number;
}

export async function floorsOf(top: string): Promise<Floors> {
  const imports = await importsOf(top);
  const own = imports.filter(({ isOwn }) => isOwn);
  return {
    broken: [...imports.flatMap(brokenBetweenRooms), ...imports.flatMap(brokenBetweenPlaces), ...circlesIn(own)].sort(),
    density: new Map(levels.map(({ folder }) => [folder, densityOf(folder, own)])),
  };
}

function brokenBetweenRooms({ from, to, isOwn }: Import): readonly string[] {
  const room = roomOf(from);
  if (room === undefined) return [];
  if (!isOwn) {
    if (to === "@kubernetes/client-node" && from !== "src/api/types.ts")
      return [`${from}: names @kubernetes/client-node; only src/api/types.ts may`];
    if (/^(node:|bun$|bun:)/.test(to) && room.folder !== "src/platform")
      return [`${from}: imports ${to}; only src/platform may`];
    return [];
  }
  // It contains the program's version.
  if (to === "package.json" && room.folder === "plugin") return [];
  // Users' files import the public API as a whole; the program passes it to them.
  if (to === "src/index.ts" && room.folder === "plugin") return [];
  const other = roomOf(to);
  if (other === undefined) return [`${from}: imports ${to}, which is outside the house`];
  if (!mayImport(room, other))
    return [`${from}: ${room.folder} (floor ${room.floor}) must not import ${other.folder} (floor ${other.floor})`];
  const controller = /^src\/controllers\/([^/]+)\//;
  const [mine, theirs] = [controller.exec(from)?.[1], controller.exec(to)?.[1]];
  if (mine === undefined || theirs === undefined || mine === theirs) return [];
  return [`${from}: controller ${mine} must not import controller ${theirs}`];
}

/** By the floors inside a room or a place. */
function brokenBetweenPlaces({ from, to, isOwn }: Import): readonly string[] {
  if (!isOwn) return [];
  return levels.flatMap(({ folder, places }) => {
    if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`)) return [];
    const placeOf = (path: string): Place | undefined =>
      places.find((place) => path.startsWith(`${folder}/${place.folder}/`));
    const [mine, theirs] = [placeOf(from), placeOf(to)];
    if (mine === undefined) return [];
    if (theirs === undefined) return [`${from}: imports ${to}, which lies flat in ${folder}, its top`];
    if (mine !== theirs) {
      if (theirs.floor < mine.floor) return [];
      return [`${from}: ${mine.folder} (floor ${mine.floor}) must not import ${theirs.folder} (floor ${theirs.floor})`];
    }
    const within = (path: string): string => path.slice(`${folder}/${mine.folder}/`.length).split("/")[0] ?? "";
    if (mine.apart !== true || within(from) === within(to)) return [];
    return [`${from}: ${within(from)} must not import ${within(to)}`];
  });
}

/** Regardless of the table: no cycles between a folder's subfolders and the files directly in it, at any depth. */
function circlesIn(imports: readonly Import[]): readonly string[] {
  const folders = new Set(imports.flatMap(({ from }) => foldersAbove(from)).filter((folder) => folder !== "src"));
  return [...folders].flatMap((folder) => {
    const between = imports.flatMap(({ from, to }) => {
      const [mine, theirs] = [childOf(folder, from), childOf(folder, to)];
      return mine === undefined || theirs === undefined || mine === theirs ? [] : [{ from, to, mine, theirs }];
    });
    const pairs = between.map(({ mine, theirs }) => [mine, theirs] as const);
    return between
      .filter(({ mine, theirs }) => reaches(pairs, theirs, mine))
      .map(({ from, to }) => `${from}: imports ${to}, in a circle of folders inside ${folder}`);
  });
}

function densityOf(folder: string, imports: readonly Import[]): Density {
  const isInside = (path: string): boolean => path.startsWith(`${folder}/`);
  const placeOf = (path: string): string => path.slice(folder.length + 1).split("/")[0] ?? "";
  const inside = imports.filter(({ from, to }) => isInside(from) && isInside(to));
  const pairs = inside.map(({ from, to }) => [placeOf(from), placeOf(to)]).filter(([from, to]) => from !== to);
  return {
    places: new Set(imports.flatMap(({ from, to }) => [from, to].filter(isInside).map(placeOf))).size,
    arrows: new Set(pairs.map((pair) => pair.join(" "))).size,
  };
}

/** `src`, `src/a` and `src/a/b` of `src/a/b/c.ts`. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The subfolder of `folder` that contains the path, `""` for a file directly in it; undefined outside it. */
function childOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const rest = path.slice(folder.length + 1).split("/");
  return rest.length === 1 ? "" : rest[0];
}

/** Whether arrows lead from one folder to another. */
function reaches(pairs: readonly (readonly [string, string])[], from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const at of seen) for (const [mine, theirs] of pairs) if (mine === at) seen.add(theirs);
  return seen.has(to);
}
