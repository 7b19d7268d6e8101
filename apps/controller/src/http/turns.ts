/** Runs work on one thing after the other; work on different things runs at once. */
interface Turns {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Makes it. A name is remembered while work of it runs or waits; what calls it bounds how much that is. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(name, work) {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
