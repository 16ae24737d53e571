/**
 * Freezes plain JSON deeply, so that code that changes a cached object fails where it does so. Costs three times as much as parsing
 * the object: for tests and `--debug-freeze`.
 */
export function deepFreeze<T>(value: T): T {
  // Primitive values count as frozen.
  if (Object.isFrozen(value)) return value;
  // What is not frozen is an object.
  for (const part of Object.values(value as object)) deepFreeze(part);
  return Object.freeze(value);
}
