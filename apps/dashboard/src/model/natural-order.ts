/** A text by whose characters names stand as people count: `rack 2` before `rack 10`. Pure. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
}

/** Sorts names as people count. Pure. */
export function naturally(names: Iterable<string>): readonly string[] {
  return [...names]
    .map((name) => ({ name, key: naturalKey(name) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ name }) => name);
}
