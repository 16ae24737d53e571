/** Whether the long form of the tests is asked for: `npm run long` sets LONG=1. */
export const long: boolean = process.env["LONG"] === "1";

/** How often a property or a seeded scene is tried: `times`, in the long form twenty times as often unless said otherwise. */
export function tries(times: number, inLong: number = 20 * times): number {
  return long ? inLong : times;
}
