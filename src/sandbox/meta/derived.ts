/** Values that are made of others once. */

/** Makes a value of each key when it is first asked for, and keeps it as long as the key is there. */
export function derived<K extends WeakKey, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let known = made.get(key);
    if (known === undefined) made.set(key, (known = { value: make(key) }));
    return known.value;
  };
}
