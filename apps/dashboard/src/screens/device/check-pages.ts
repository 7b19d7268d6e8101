import type { TimeSpan } from '../../model/time-range.ts';
import { type PagedList, usePages } from '../../parts/use-pages.ts';
import { api, takeAnswer } from '../../store/api.ts';
import type { DeviceRange } from './range.ts';
import { timestampsOf } from './read-axis.ts';
import { type Check, shownChecks } from './read-detail.ts';

/** The checks that a list shows. */
export type CheckView = 'all' | 'failed' | 'slow' | 'inconclusive';

const queryOf: Readonly<Record<CheckView, { readonly ResultCode?: string; readonly PerfStat?: 'Slow' }>> = {
  all: {},
  failed: { ResultCode: '2,3,4,5,6,7,8' },
  slow: { PerfStat: 'Slow' },
  inconclusive: { ResultCode: '9,10' },
};

/** The filters of the list of checks. */
interface CheckFilter {
  readonly location: string;
  readonly view: CheckView;
  /** Only checks of this range; undefined: all. */
  readonly range: Pick<DeviceRange, 'chosen' | 'span'> | undefined;
}

/** The query of a page of checks. */
export function checkQuery({
  location,
  view,
  span,
}: Pick<CheckFilter, 'location' | 'view'> & { readonly span: TimeSpan | undefined }) {
  return {
    ...(location === '' ? {} : { Location: [location] }),
    ...queryOf[view],
    ...(span === undefined ? {} : timestampsOf(span)),
  };
}

/** The checks of a filter, page by page. Without a filter, `newest` is the first page. */
export function useCheckPages(
  device_id: string,
  { location, view, range }: CheckFilter,
  newest: readonly Check[],
): PagedList<Check> {
  const isAll = location === '' && view === 'all' && range === undefined;
  return usePages<Check>(
    (Before) => {
      if (isAll && Before === undefined)
        return Promise.resolve({ data: newest, hasMore: newest.length >= shownChecks });
      const query = {
        ...checkQuery({ location, view, span: range?.span }),
        Limit: shownChecks,
        ...(Before === undefined ? {} : { Before }),
      };
      return takeAnswer(api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }));
    },
    {
      key: JSON.stringify([device_id, location, view, range?.chosen]),
      idOf: ({ check_id }) => check_id,
      triggers: [newest, range?.span.from],
    },
  );
}
