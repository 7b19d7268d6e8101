import type { TimeSpan } from '../../model/time-range.ts';
import { type PagedList, usePages } from '../../parts/use-pages.ts';
import { api, takeAnswer } from '../../store/api.ts';
import type { DeviceRange } from './range.ts';
import { timestampsOf } from './read-axis.ts';
import { type Check, shownChecks } from './read-detail.ts';

/** The filters of the list of checks. */
interface CheckFilter {
  readonly location: string;
  /** ResultCodes; empty: all. */
  readonly codes: readonly number[];
  /** Only checks of this range; undefined: all. */
  readonly range: Pick<DeviceRange, 'chosen' | 'span'> | undefined;
}

/** The query of a page of checks. */
export function checkQuery({
  location,
  codes,
  span,
}: Pick<CheckFilter, 'location' | 'codes'> & { readonly span: TimeSpan | undefined }) {
  return {
    ...(location === '' ? {} : { Location: [location] }),
    ...(codes.length === 0 ? {} : { ResultCode: codes.join(',') }),
    ...(span === undefined ? {} : timestampsOf(span)),
  };
}

/** The checks of a filter, page by page. Without a filter, `newest` is the first page. */
export function useCheckPages(
  device_id: string,
  { location, codes, range }: CheckFilter,
  newest: readonly Check[],
): PagedList<Check> {
  const isAll = location === '' && codes.length === 0 && range === undefined;
  return usePages<Check>(
    (Before) => {
      if (isAll && Before === undefined)
        return Promise.resolve({ data: newest, hasMore: newest.length >= shownChecks });
      const query = {
        ...checkQuery({ location, codes, span: range?.span }),
        Limit: shownChecks,
        ...(Before === undefined ? {} : { Before }),
      };
      return takeAnswer(api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }));
    },
    {
      key: JSON.stringify([device_id, location, codes, range?.chosen]),
      idOf: ({ check_id }) => check_id,
      triggers: [newest, range?.span.from],
    },
  );
}
