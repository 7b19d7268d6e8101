/** A sort key with numbers in numeric order: `rack 2` before `rack 10`. Pure. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
}

/** Sorts names with numbers in numeric order. Pure. */
export function naturally(names: Iterable<string>): readonly string[] {
  return [...names]
    .map((name) => ({ name, key: naturalKey(name) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ name }) => name);
}
