import { mebibyte } from '@vantage/domain';
import { declareState } from '@vantage/kernel';

/** The numbers of a device's series by `seriesKey`. */
export type SeriesOfDevice = ReadonlyMap<string, number>;

/** Identifies a series of a device. A label has no line break. */
export function seriesKey(label: string, unit: string): string {
  return `${label}\n${unit}`;
}

/** Upper limit of the memory for series, bytes. A thousand devices with 50 values each fit twice. */
export const maxSeriesBytes = 16 * mebibyte;
/** The entry of a map, its number, and a string without its characters. */
const entryBytes = 80;

const tracked = declareState({
  name: 'known_series',
  entries: maxSeriesBytes,
  entryBytes: 1,
  filledBy: 'agents',
  atBound: 'the device that was used longest ago is forgotten, and read again',
});

/** The series of devices whose checks return values, as they are committed. */
export function createKnownSeries(limitBytes: number) {
  const devices = new Map<number, { readonly series: SeriesOfDevice; readonly bytes: number }>();
  let bytes = 0;
  const forget = (deviceNo: number) => {
    bytes -= devices.get(deviceNo)?.bytes ?? 0;
    devices.delete(deviceNo);
  };
  return tracked({
    get(deviceNo: number): SeriesOfDevice | undefined {
      const found = devices.get(deviceNo);
      if (found === undefined) return undefined;
      devices.delete(deviceNo);
      devices.set(deviceNo, found);
      return found.series;
    },
    set(deviceNo: number, series: SeriesOfDevice) {
      forget(deviceNo);
      let size = entryBytes;
      for (const key of series.keys()) size += entryBytes + 2 * key.length;
      devices.set(deviceNo, { series, bytes: size });
      bytes += size;
      for (const oldest of devices.keys()) {
        if (bytes <= limitBytes) return;
        forget(oldest);
      }
    },
    /** An upper bound of what it occupies. */
    get bytes() {
      return bytes;
    },
  });
}
