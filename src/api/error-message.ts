/** The text of a thrown value: an error's message, otherwise the value as a string. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
