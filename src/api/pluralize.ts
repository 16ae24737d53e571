/** `1 pod`, `2 pods`; `1 entry`, `2 entries` with an explicit plural. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
