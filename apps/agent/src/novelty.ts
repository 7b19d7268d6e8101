/** Says of each word whether it is heard for the first time, as far as the last `most` words are remembered. */
export function createNovelty(most: number): (word: string) => boolean {
  const heard = new Set<string>();
  return (word) => {
    if (heard.has(word)) return false;
    heard.add(word);
    const [oldest] = heard;
    if (heard.size > most && oldest !== undefined) heard.delete(oldest);
    return true;
  };
}
