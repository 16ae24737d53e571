/**
 * Freezes plain JSON deeply, so that code that modifies a cached object fails at that place. Costs three times as much as parsing the
 * object, so it is for tests and `--debug-freeze`.
 */
export function deepFreeze<T>(value: T): T {
  // Primitive values count as frozen.
  if (Object.isFrozen(value)) return value;
  // Anything else is an object.
  for (const part of Object.values(value as object)) deepFreeze(part);
  return Object.freeze(value);
}
