/** Lets a number of pieces of work run at a time; the others wait in the order in which they came. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes `count` slots. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
