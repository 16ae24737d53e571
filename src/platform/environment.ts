import process from "node:process";

/** The variables of the environment. Bun compiled for release reads no `.env` file into them. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
