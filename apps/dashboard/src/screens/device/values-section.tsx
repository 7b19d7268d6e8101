import type { Signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import {
  chartedLabels,
  labelList,
  labelsIn,
  maxCharts,
  valueBucketFor,
  valueSteps,
} from '../../model/value-charts.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { address, go } from '../../store/address.ts';
import { minute, now, zone } from '../../store/clock.ts';
import axisCss from './axis.module.css';
import { Axis, FigureSpace } from './axis.tsx';
import { frameOf } from './axis-frame.ts';
import { spanWords } from './axis-words.ts';
import type { DeviceMark } from './device-marks.ts';
import { addressWith, type DeviceRange } from './range.ts';
import type { AxisDevice } from './read-axis.ts';
import { readLabels, readValues } from './read-values.ts';
import { useWidth } from './use-width.ts';
import { lastWords, rowHeight, valueRow } from './value-row.tsx';
import { ValueTable } from './value-table.tsx';
import { valuesTexts as say } from './values-texts.ts';

/** The parameter of the address with the labels that are charted. */
const parameter = 'values';

interface ValuesProps {
  readonly device: AxisDevice;
  readonly range: DeviceRange;
  readonly marks: readonly DeviceMark[];
  readonly cursor: Signal<number | undefined>;
  /** The number of values of the newest check that has some; 0: none is known to have values. */
  readonly expected: number;
  readonly chosen: string | undefined;
  readonly onChoose: (mark: DeviceMark) => void;
  /** Opens a check of this time. */
  readonly onPick: (at: number, stepMs: number) => void;
}

/** The values that the checks of a device measured; nothing for a device without values. */
export function ValuesSection(props: ValuesProps) {
  const { device, range, expected } = props;
  const read = useRead(
    () => readLabels(device.id, range.span),
    [device.id, JSON.stringify(range.chosen)],
    [minute.value],
  );
  const rows = read.data ?? [];
  if (rows.length === 0 && (expected === 0 || read.data !== undefined))
    return <ReadState read={read} rows={0} />;
  return (
    <section aria-label={say.title} class="section">
      <h2>{say.title}</h2>
      <ReadState read={read} rows={0} />
      {rows.length === 0 ? <ChartSpace charts={expected} /> : <ValueCharts {...props} rows={rows} />}
    </section>
  );
}

function ChartSpace({ charts }: { readonly charts: number }) {
  return <FigureSpace heights={Array.from({ length: Math.min(maxCharts, charts) }, () => rowHeight)} />;
}

function ValueCharts({
  device,
  range,
  marks,
  cursor,
  chosen,
  onChoose,
  onPick,
  rows,
}: ValuesProps & { readonly rows: readonly Schemas['DeviceValues'][] }) {
  const { element, width } = useWidth();
  const { span } = range;
  const frame = frameOf(span, width);
  const labels = [...new Set(rows.map(({ Label }) => Label))];
  const charted = chartedLabels(labels, labelsIn(address.value.query.get(parameter) ?? ''));
  const bucket = valueBucketFor(span, Math.round(frame.right - frame.left), device.periodMs);
  const read = useRead(
    async () => (width === 0 ? [] : readValues(device.id, charted, span, bucket.name)),
    [device.id, JSON.stringify(range.chosen), width > 0, labelList(charted)],
    [minute.value, bucket.name],
  );
  const series = (read.data ?? []).map((row) => ({ row, steps: valueSteps(row.Buckets, bucket.ms, span) }));
  const newest = Math.max(0, ...series.map(({ steps }) => steps.at(-1)?.from ?? 0));
  const readings = series.map(({ row }) => say.reading(row.Label, lastWords(row))).join(' ');
  return (
    <>
      <div ref={element}>
        {series.length === 0 ? (
          <ChartSpace charts={charted.length} />
        ) : (
          <Axis
            frame={frame}
            rowsAt={(at, hasCursor) =>
              series.map(({ row, steps }) => valueRow(frame, row, steps, hasCursor ? at : undefined))
            }
            marks={marks}
            newest={newest === 0 ? Math.min(span.to, now.value) : newest}
            cursor={cursor}
            isNamedAbove
            chosen={chosen}
            label={say.figure(spanWords(span, zone.value, undefined), readings)}
            stepMs={bucket.ms}
            onChoose={onChoose}
            onPick={(at) => onPick(at, bucket.ms)}
            onZoom={(zoom) => range.set(zoom)}
            onBack={range.back}
          />
        )}
        <ReadState read={read} rows={0} />
      </div>
      <p class={`hint ${axisCss['hint']}`}>
        {labels.length > charted.length && `${say.shown(charted.length, labels.length)}. `}
        {say.hint(say.buckets[bucket.name])}
      </p>
      <ValueTable
        rows={rows}
        charted={charted}
        onChoose={(chosenLabels) =>
          go(addressWith({ [parameter]: labelList(chosenLabels) }), { replace: true })
        }
      />
    </>
  );
}
