import { fitSlope, type Point } from '../slope.ts';
import { afterWarmUp, median, type Rule, type Series } from './judge.ts';
import type { ProcessSample, Sample, TableSample } from './sample.ts';

const mib = 1024 * 1024;
/** The noise of a heap that is no growth. */
const memoryNoise = 6;
/** The same of a process: V8 and malloc give back late what they do not need. Objects that leak show in the heap. */
const residentNoise = 16;
/** The caches of a backend, which fill for hours. */
const backendNoise = 2;
/** The roll-up of an hour writes so much to sort a check. */
const sortedCheckBytes = 300;
/** A table or index may grow by so much without new rows, because vacuum comes at its own times. */
const relationNoise = 0.5;
/** The most that an index needs for a row of its table: keys of a few columns on pages that are half full. */
const indexRowBytes = 150;
/** The most that a row's long values need outside of it. */
const toastRowBytes = 4_000;
/** The most WAL for a check: its row, its status, the shares of commit and of whole pages after a checkpoint. */
const walCheckBytes = 4_000;
const checkpointMinutes = 5;
const segmentMib = 16;
const sharedBuffersMib = 128;
/** The acknowledged results that an agent keeps. */
const keptMib = 64;
const keptFiles = 1_024;

type Values = (sample: Sample) => number | null | undefined;

/** A function that reads a series out of all samples; a sample without the value has no point. */
function readerOf(samples: readonly Sample[]) {
  return (values: Values, lives: Values = () => 0): readonly Point[] =>
    samples.flatMap((sample) => {
      const [value, life] = [values(sample), lives(sample)];
      return value == null || life == null ? [] : [{ at: sample.at, value, life }];
    });
}

/** The growth in an hour after the warm-up, at least 0. */
function growth(points: readonly Point[], warmUpHours: number): number {
  const { slope } = fitSlope(afterWarmUp(points, warmUpHours));
  return Number.isNaN(slope) ? 0 : Math.max(0, slope);
}

const slope = (maxPerHour: number, reason: string): Rule => ({ kind: 'slope', maxPerHour, reason });
const level = (most: number, reason: string): Rule => ({ kind: 'level', most, reason });

/** The series of all samples with their rules. `partitions`: as many as there must be. */
export function seriesOf(
  samples: readonly Sample[],
  warmUpHours: number,
  partitions: number,
): readonly Series[] {
  const names = (of: (sample: Sample) => readonly string[]) => [...new Set(samples.flatMap(of))];
  return [
    ...names(({ processes }) => Object.keys(processes)).flatMap((name) => ofProcess(samples, name)),
    ...ofPostgres(samples),
    ...ofWal(samples, warmUpHours),
    ...ofRest(samples, warmUpHours, partitions),
    ...names(({ tables }) => tables.map(({ table }) => table)).flatMap((name) =>
      ofTable(samples, name, warmUpHours),
    ),
    ...names(({ indexes }) => indexes.map(({ index }) => index)).map((name) =>
      ofIndex(samples, name, warmUpHours),
    ),
  ];
}

function ofProcess(samples: readonly Sample[], name: string): readonly Series[] {
  const read = readerOf(samples);
  const points = (of: (sample: ProcessSample) => number | null) =>
    read(
      ({ processes }) => (processes[name] === undefined ? null : of(processes[name])),
      ({ processes }) => processes[name]?.life,
    );
  return [
    {
      name: `${name}: memory (RSS)`,
      unit: 'MiB',
      points: points(({ rssMib }) => rssMib),
      rule: slope(residentNoise, 'memory that V8 gives back late'),
    },
    {
      name: `${name}: heap`,
      unit: 'MiB',
      points: points(({ heapMib }) => heapMib),
      rule: slope(memoryNoise, 'noise of garbage collection'),
    },
    {
      name: `${name}: descriptors`,
      unit: '',
      points: points(({ descriptors }) => descriptors),
      rule: slope(4, 'checks that run, and connections that stay open'),
    },
  ];
}

function ofPostgres(samples: readonly Sample[]): readonly Series[] {
  const read = readerOf(samples);
  // A controller that starts again opens new connections, so the backends are new.
  const points = (of: (postgres: Sample['postgres']) => number) =>
    read(
      ({ postgres }) => of(postgres),
      ({ processes }) => processes['controller']?.life,
    );
  const backends = samples.at(-1)?.postgres.processes ?? 0;
  return [
    {
      name: 'PostgreSQL: memory (PSS)',
      unit: 'MiB',
      points: points(({ pssMib }) => pssMib),
      rule: level(sharedBuffersMib * 4, 'shared buffers, programs and backends'),
    },
    {
      name: 'PostgreSQL: memory of its own',
      unit: 'MiB',
      points: points(({ ownMib }) => ownMib),
      rule: slope(backendNoise * backends, `caches of ${backends} processes`),
    },
    {
      name: 'PostgreSQL: shared memory',
      unit: 'MiB',
      points: points(({ sharedMib }) => sharedMib),
      rule: level(sharedBuffersMib * 1.25, 'shared_buffers'),
    },
    {
      name: 'PostgreSQL: processes',
      unit: '',
      points: points(({ processes }) => processes),
      rule: slope(2, 'the pool of the controller'),
    },
    {
      name: 'PostgreSQL: descriptors',
      unit: '',
      points: points(({ descriptors }) => descriptors),
      rule: slope(60, 'each backend keeps files open that it used'),
    },
  ];
}

const checksOf: Values = ({ tables }) => tables.find(({ table }) => table === 'check_rows')?.liveRows;

function ofWal(samples: readonly Sample[], warmUpHours: number): readonly Series[] {
  const read = readerOf(samples);
  const wal = read(({ walBytes }) => walBytes / mib);
  const checks = growth(read(checksOf), warmUpHours);
  const perHour = growth(wal, warmUpHours);
  const each = checks === 0 ? 0 : (perHour * mib) / checks;
  const cycle = (perHour * checkpointMinutes) / 60;
  return [
    {
      name: 'WAL written',
      unit: 'MiB',
      points: wal,
      rule: slope((checks * walCheckBytes) / mib, `${walCheckBytes} bytes a check, it is ${each.toFixed(0)}`),
    },
    {
      name: 'WAL kept',
      unit: 'MiB',
      points: read(({ walKeptBytes }) => walKeptBytes / mib),
      rule: level(3 * cycle + 5 * segmentMib, 'three times what a checkpoint covers'),
    },
  ];
}

function ofRest(samples: readonly Sample[], warmUpHours: number, partitions: number): readonly Series[] {
  const read = readerOf(samples);
  const checks = growth(read(checksOf), warmUpHours);
  const agents = Object.keys(samples.at(-1)?.processes ?? {}).filter((name) => name !== 'controller').length;
  return [
    {
      name: 'partitions of check_rows',
      unit: '',
      points: read((each) => each.partitions),
      rule: level(partitions, 'days kept, today, and two ahead'),
    },
    {
      name: 'oldest snapshot',
      unit: 'transactions',
      points: read((each) => each.oldestSnapshot),
      rule: level(10_000, 'no transaction stays open'),
    },
    {
      name: 'temporary files written',
      unit: 'MiB',
      points: read((each) => each.temporaryBytes / mib),
      rule: slope((checks * sortedCheckBytes) / mib, 'the roll-up of each hour sorts its checks'),
    },
    {
      name: 'outbox files',
      unit: '',
      points: read(({ outbox }) => outbox.files),
      rule: level(agents * keptFiles, 'acknowledged results stay for ten minutes, 64 KiB in a file at least'),
    },
    {
      name: 'outbox on disk',
      unit: 'MiB',
      points: read(({ outbox }) => outbox.bytes / mib),
      rule: level(agents * keptMib, 'acknowledged results stay for ten minutes, and so much at most'),
    },
    {
      name: 'outbox records',
      unit: '',
      points: read(({ outbox }) => outbox.records),
      rule: level(1_000, 'results of a few seconds'),
    },
    {
      name: 'log files',
      unit: 'MiB',
      points: read((each) => each.logBytes / mib),
      rule: slope(4, 'a line for each problem, not for each check'),
    },
    {
      name: 'lateness, p50',
      unit: 'ms',
      points: read(({ latenessMs }) => latenessMs.p50),
      rule: slope(5, 'the machine'),
    },
    {
      name: 'lateness, p99',
      unit: 'ms',
      points: read(({ latenessMs }) => latenessMs.p99),
      rule: level(2_000, 'a busy machine'),
    },
  ];
}

function ofTable(samples: readonly Sample[], name: string, warmUpHours: number): readonly Series[] {
  const read = readerOf(samples);
  const points = (of: (table: TableSample) => number) =>
    read(({ tables }) => {
      const found = tables.find(({ table }) => table === name);
      return found === undefined ? null : of(found);
    });
  const last = (of: (table: TableSample) => number) =>
    median(
      points(of)
        .slice(-5)
        .map(({ value }) => value),
    );
  const live = growth(
    points(({ liveBytes }) => liveBytes / mib),
    warmUpHours,
  );
  const rows = growth(
    points(({ liveRows }) => liveRows),
    warmUpHours,
  );
  const changedAMinute =
    growth(
      points(({ changedRows }) => changedRows),
      warmUpHours,
    ) / 60;
  const atVacuum = 1.2 * (50 + 0.2 * last(({ liveRows }) => liveRows));
  return [
    {
      name,
      unit: 'MiB',
      points: points(({ heapBytes }) => heapBytes / mib),
      rule: slope(1.5 * live + relationNoise, `its rows grow by ${live.toFixed(2)}`),
    },
    {
      name: `${name}: long values`,
      unit: 'MiB',
      points: points(({ toastBytes }) => toastBytes / mib),
      rule: slope((rows * toastRowBytes) / mib + relationNoise, `${rows.toFixed(0)} new rows`),
    },
    {
      name: `${name}: dead rows`,
      unit: '',
      points: points(({ deadRows }) => deadRows),
      rule: level(
        atVacuum + 3 * changedAMinute,
        `autovacuum's limit, and three minutes of ${changedAMinute.toFixed(0)} changes`,
      ),
    },
  ];
}

function ofIndex(samples: readonly Sample[], name: string, warmUpHours: number): Series {
  const read = readerOf(samples);
  const indexOf = ({ indexes }: Sample) => indexes.find(({ index }) => index === name);
  const rows = growth(
    read((sample) => sample.tables.find(({ table }) => table === indexOf(sample)?.table)?.liveRows),
    warmUpHours,
  );
  const density = samples.map(indexOf).at(-1)?.density;
  const used = density == null ? '' : `, ${(density * 100).toFixed(0)} % of its leaves is used`;
  return {
    name,
    unit: 'MiB',
    points: read((sample) => {
      const found = indexOf(sample);
      return found === undefined ? null : found.bytes / mib;
    }),
    rule: slope((rows * indexRowBytes) / mib + relationNoise, `${rows.toFixed(0)} new rows${used}`),
  };
}
