/** Returns `preferred`, or the first variant (counted from 2) that no earlier call returned. */
export type UniqueNames = (
  preferred: string,
  variant: (count: number) => string,
) => { readonly name: string; readonly changed: boolean };

/** Names that people read as the same count as equal. */
export function createUniqueNames(): UniqueNames {
  const taken = new Set<string>();
  return (preferred, variant) => {
    let name = preferred;
    for (let count = 2; taken.has(asRead(name)); count += 1) name = variant(count);
    taken.add(asRead(name));
    return { name, changed: name !== preferred };
  };
}

/** Removes differences that people do not see: letter case, Unicode composition, repeated spaces. */
export function asRead(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
