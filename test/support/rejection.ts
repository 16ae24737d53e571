/** Returns the error with which a promise is rejected. @throws Error if it is fulfilled, or rejected with a value that is not an Error. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error("rejected with something that is no error", { cause: error });
  }
  throw new Error(`expected a rejection, but it was fulfilled with ${JSON.stringify(value)}`);
}
