import { useEffect, useState } from 'preact/hooks';
import type { TimeSpan } from '../../model/time-range.ts';
import { type ReadResult, useRead } from '../../parts/use-read.ts';
import { api, takeAnswer } from '../../store/api.ts';
import { timestampsOf } from './read-axis.ts';
import type { Check } from './read-detail.ts';

/** The filters of the list of checks. */
export interface CheckFilter {
  readonly location: string;
  /** ResultCodes; empty: all. */
  readonly codes: readonly number[];
  /** Only checks of this span; undefined: all. */
  readonly span: TimeSpan | undefined;
}

const pageSize = 100;

/** The query of a page of checks. */
export function checkQuery({ location, codes, span }: CheckFilter) {
  return {
    ...(location === '' ? {} : { Location: [location] }),
    ...(codes.length === 0 ? {} : { ResultCode: codes.join(',') }),
    ...(span === undefined ? {} : timestampsOf(span)),
  };
}

async function readPage(device_id: string, filter: CheckFilter, Before: string | undefined) {
  const { data, hasMore } = await takeAnswer(
    api.GET('/devices/{device_id}/checks', {
      params: {
        path: { device_id },
        query: { ...checkQuery(filter), Limit: pageSize, ...(Before === undefined ? {} : { Before }) },
      },
    }),
  );
  return { checks: data, hasMore };
}

/** The checks of a filter: those of the last read, and older pages that a person asked for. */
export function useCheckPages(deviceId: string, filter: CheckFilter, newest: readonly Check[]) {
  const key = JSON.stringify({ ...filter, span: filter.span === undefined ? null : 'range' });
  const isAll = filter.location === '' && filter.codes.length === 0 && filter.span === undefined;
  const found = useRead(
    async () => (isAll ? undefined : readPage(deviceId, filter, undefined)),
    [deviceId, key, filter.span?.from],
    [newest],
  );
  const [older, setOlder] = useState<readonly Check[]>([]);
  const [hasMore, setMore] = useState<boolean>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    setOlder([]);
    setMore(undefined);
    setProblem(undefined);
  }, [deviceId, key]);
  const first = isAll ? newest : (found.data?.checks ?? []);
  const oldest = older.at(-1) ?? first.at(-1);
  const load = () => {
    readPage(deviceId, filter, oldest?.check_id).then(
      (page) => {
        setOlder((before) => [...before, ...page.checks]);
        setMore(page.hasMore);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error),
    );
  };
  const read: ReadResult<unknown> = isAll
    ? { ...found, data: newest, problem }
    : { ...found, problem: found.problem ?? problem };
  const known = new Set(first.map(({ check_id }) => check_id));
  return {
    checks: [...first, ...older.filter(({ check_id }) => !known.has(check_id))],
    hasMore: hasMore ?? (isAll ? newest.length >= pageSize : (found.data?.hasMore ?? false)),
    load,
    read,
  };
}
