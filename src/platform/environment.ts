import process from "node:process";

/** The environment variables. Bun compiled for release does not load `.env` files into them. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
