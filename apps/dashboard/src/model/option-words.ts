/** `HostKeyFingerprint` as words: `Host key fingerprint`. Pure. */
export const wordsOfName = (name: string): string =>
  name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
