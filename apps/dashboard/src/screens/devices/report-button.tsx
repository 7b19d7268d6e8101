import type { DeviceListRow } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { deviceWords } from '../../texts/device-words.ts';

/** Opens the report on the selected devices. */
export function ReportButton({
  rows,
  filter,
}: {
  readonly rows: readonly DeviceListRow[];
  readonly filter: string | undefined;
}) {
  const to = reportAddress(
    rows.map(({ id }) => id),
    filter,
  );
  if (to === undefined) return null;
  return (
    <button type="button" onClick={() => go(to)}>
      {deviceWords.report}
    </button>
  );
}

/** The maximum number of devices that an address names. */
const maxNamed = 200;

/**
 * The address of the report on devices. `filter` is a filter that matches exactly these; undefined: there is none.
 * Returns undefined if they are too many for an address.
 */
function reportAddress(ids: readonly string[], filter?: string): string | undefined {
  if (filter !== undefined) return filter === '' ? '/reports' : `/reports?q=${encodeURIComponent(filter)}`;
  return ids.length === 0 || ids.length > maxNamed ? undefined : `/reports?devices=${ids.join(',')}`;
}
