import { filteredAddress, readListFilter } from '../../model/list-filter.ts';
import { outageQuery, outageRules, outageSpans, spanOf, usualSpan } from '../../model/outage-filter.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { listId } from '../../parts/skip-to-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { counts } from '../../store/account-state.ts';
import { address } from '../../store/address.ts';
import { minute, serverNow, zone } from '../../store/clock.ts';
import { readOutages } from '../../store/read-outages.ts';
import { listTexts } from '../../texts/list-texts.ts';
import { OutageChart, outageSentence } from './outage-chart.tsx';
import { OutageList } from './outage-list.tsx';
import css from './outages.module.css';
import { outagesTexts as say } from './outages-texts.ts';

const path = '/outages';
const fields: readonly FilterField[] = [
  {
    name: 'span',
    choices: outageSpans.filter((days) => days !== usualSpan).map((days) => [days, say.spans[days]] as const),
    usual: say.spans[usualSpan],
  },
  { name: 'from', kind: 'day' },
  { name: 'to', kind: 'day' },
  { name: 'device', kind: 'device' },
  { name: 'tag', kind: 'tag' },
  { name: 'location', kind: 'location' },
  { name: 'open', choices: [['yes', say.yes]] },
];

/** The outages of the account, filtered by the address. */
export function OutagesScreen() {
  const filter = readListFilter(outageRules, address.value.query);
  const key = filteredAddress(path, filter);
  const read = useRead(
    async () => {
      const span = spanOf(filter, { zone: zone.value, nowMs: serverNow() });
      return {
        key,
        span,
        query: outageQuery(filter, span.from),
        ...(await readOutages(outageQuery(filter, span.from))),
      };
    },
    [key],
    // An outage that begins or ends changes the number of devices that are Down.
    [minute.value, counts.value.Down],
  );
  // Outages of other filters must not be shown as the result of these.
  const found = read.data?.key === key ? read.data : undefined;
  const oldest = found?.list.at(-1);
  // Before the oldest outage that was read, there may be others.
  const span =
    found?.isCut === true && oldest !== undefined
      ? { ...found.span, from: Math.max(found.span.from, Date.parse(oldest.Start)) }
      : found?.span;
  return (
    <div class="page">
      <div class={css['head']}>
        <Heading>{say.title}</Heading>
        {found !== undefined && <CsvButton list="outages" query={found.query} />}
      </div>
      <FilterBar path={path} filter={filter} fields={fields} isOpen />
      <ReadState read={{ ...read, data: found }} rows={10} />
      {found?.list.length === 0 && <p>{key === path ? say.none : listTexts.noMatch}</p>}
      {found !== undefined && span !== undefined && found.list.length > 0 && (
        <div id={listId} tabIndex={-1}>
          <p>
            {outageSentence(found.list)}
            {found.isCut && <b> {say.cut(found.list.length)}</b>}
          </p>
          <OutageChart
            outages={found.list}
            span={span}
            hrefOf={(device) => filteredAddress(path, { ...filter, device })}
          />
          <OutageList key={key} outages={found.list} again={read.again} />
        </div>
      )}
    </div>
  );
}
