/**
 * Derives from the table of floors what must agree with it: the picture in `src/README.md` and the lint configuration
 * `.oxlintrc.json`; and finds the imports that break it.
 */
import { parseSync } from "oxc-parser";
import { dirname, join, relative } from "node:path";
import { forbiddenGlobals, mayImport, roomOf, rooms } from "./floors.ts";

const start = "<!-- floors: made by `npm run check -- --write` from scripts/floors.ts -->";
const end = "<!-- end of floors -->";

/** The picture of the floors, highest floor first. */
export function picture(): string {
  const floors = [...new Set(rooms.map((room) => room.floor))].sort((a, b) => b - a);
  const rows = floors.flatMap((floor) =>
    rooms
      .filter((room) => room.floor === floor)
      .map((room, index) => `| ${index === 0 ? floor : ""} | \`${room.folder}/\` | ${room.owns} |`),
  );
  return [start, "| floor | folder | owns |", "| --- | --- | --- |", ...rows, end].join("\n");
}

/** `readme` with its picture of the floors replaced by today's. */
export function withPicture(readme: string): string {
  const from = readme.indexOf(start);
  const to = readme.indexOf(end);
  if (from < 0 || to < 0)
    throw new Error(`src/README.md has no place for the picture: it needs the lines\n${start}\n${end}`);
  return readme.slice(0, from) + picture() + readme.slice(to + end.length);
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
      // Types count: who reads one file of a circle must read them all.
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
      // fast-check is used as `fc.…`, as its manual does.
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

/** Imports that go up or sideways, or name a model of client-node outside `src/api/types.ts`; a line each. */
export async function brokenFloors(top: string): Promise<string[]> {
  const broken: string[] = [];
  for (const path of new Bun.Glob("{src,plugin}/**/*.ts").scanSync(top)) {
    const room = roomOf(path);
    if (room === undefined) continue;
    const text = await Bun.file(join(top, path)).text();
    const { module } = parseSync(path, text);
    const targets = [
      ...module.staticImports.map((entry) => entry.moduleRequest.value),
      ...module.staticExports.flatMap((entry) => entry.entries.flatMap((e) => e.moduleRequest?.value ?? [])),
      ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
    ];
    for (const target of targets) {
      if (target === "@kubernetes/client-node" && path !== "src/api/types.ts") {
        broken.push(`${path}: names @kubernetes/client-node; only src/api/types.ts may`);
      }
      if (/^(node:|bun$|bun:)/.test(target) && room.folder !== "src/platform") {
        broken.push(`${path}: imports ${target}; only src/platform may`);
      }
      // The program's version stands there.
      if (target === "../package.json" && room.folder === "plugin") continue;
      if (!target.startsWith(".")) continue;
      const to = relative(top, join(top, dirname(path), target));
      const other = roomOf(to);
      if (other === undefined) broken.push(`${path}: imports ${to}, which is outside the house`);
      else if (!mayImport(room, other)) {
        broken.push(
          `${path}: ${room.folder} (floor ${room.floor}) must not import ${other.folder} (floor ${other.floor})`,
        );
      }
      const controller = /^src\/controllers\/([^/]+)\//;
      const [mine, theirs] = [controller.exec(path)?.[1], controller.exec(to)?.[1]];
      if (mine !== undefined && theirs !== undefined && mine !== theirs) {
        broken.push(`${path}: controller ${mine} must not import controller ${theirs}`);
      }
    }
  }
  return broken.sort();
}
