/** Says of each word whether it is heard for the first time, as far as the last `most` words are remembered. */
export function createSeenSet(most: number): (id: string) => boolean {
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > most && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
