const weekUs = 7 * 86_400_000_000;
const iso = (us: number) => new Date(us / 1000).toISOString();

/** Reads of history as people ask for it, over the week before a moment; each by the id of a device. */
export function weekReads(nowUs: number): ReadonlyMap<string, (id: string) => string> {
  const week = `Timestamp1=${iso(nowUs - weekUs)}&Timestamp2=${iso(nowUs - 1_000_000)}`;
  return new Map<string, (id: string) => string>([
    ['list of 100 devices', () => '/devices?Limit=100'],
    ['checks of a device', (id) => `/devices/${id}/checks?${week}&Limit=1000`],
    ['uptime of the account', () => `/uptime?${week}`],
    ['statistics of a device', (id) => `/devices/${id}/statistics?${week}&Bucket=Hour&With=Phases`],
  ]);
}
