/** Whether this is the long form of the tests: `npm run long` sets LONG=1. */
export const long: boolean = process.env["LONG"] === "1";

/** How many cases of a property, or seeds of a scene, to run: `times`, or `inLong` in the long form (default: 20 × `times`). */
export function tries(times: number, inLong: number = 20 * times): number {
  return long ? inLong : times;
}
