/** Finds the packages that are compiled into the binary, with their licences, for `plugin/commands/version/third-party.json`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

const licenseFile = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/**
 * The JSON text of the list, by name; a package whose code the bundler leaves out is not in it.
 * @throws Error for a package without a licence, and for errors of the bundler.
 */
export async function thirdPartyLicenses(top: string): Promise<string> {
  const bundle = await Bun.build({ entrypoints: [join(top, "plugin", "main.ts")], target: "bun", metafile: true });
  if (!bundle.success || bundle.metafile === undefined)
    throw new AggregateError(bundle.logs, "Cannot bundle plugin/main.ts");
  const folders = Object.keys(bundle.metafile.inputs).flatMap((input) => {
    const inside = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    return inside === undefined ? [] : [join(top, inside)];
  });
  const packages = [...new Set(folders)]
    .map(packageIn)
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
  return `${JSON.stringify(packages, undefined, 2)}\n`;
}

/** A package in the list; the program's own type of it is in `plugin/commands/version/licenses.ts`. */
interface ThirdParty {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

function packageIn(folder: string): ThirdParty {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license, author } = manifest;
  if (license === undefined) throw new Error(`${name} ${version} names no licence in its package.json`);
  const files = readdirSync(folder).filter((file) => licenseFile.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  const by = typeof author === "string" ? author : author?.name;
  const text = texts.join("\n\n") || `Its package has no licence text.${by === undefined ? "" : ` Author: ${by}.`}`;
  return { name, version, license, text };
}
