/** Devices handled at the same moment. */
const atOnce = 4;

/** Does something with each of these devices, four at a time. */
export async function eachDevice(
  deviceNos: readonly number[],
  act: (deviceNo: number) => Promise<unknown>,
): Promise<void> {
  const waiting = [...deviceNos];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
