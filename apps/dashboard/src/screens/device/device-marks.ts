import type { Schemas } from '@vantage/client';
import type { AxisMark } from '../../model/axis-marks.ts';

/** A mark of the axis with its text and its evidence. */
export interface DeviceMark extends AxisMark {
  /** As the API has the moment. */
  readonly moment: string;
  readonly words: string;
  readonly by: string | null;
  readonly link: string | null;
  readonly changes: Schemas['Mark']['Changes'];
  /** The id of a mark that can be deleted. */
  readonly markId: string | null;
  readonly mscheduleId: string | null;
}

/** Marks of the API and first errors of outages, newest first. Pure. */
export function marksOf(
  marks: readonly Schemas['Mark'][],
  outages: readonly Schemas['Outage'][],
): readonly DeviceMark[] {
  const known = marks.map(
    (mark, at): DeviceMark => ({
      key: mark.mark_id ?? mark.audit_id ?? mark.maintenance_id ?? `${mark.Kind}-${mark.At}-${at}`,
      kind: mark.Kind,
      at: Date.parse(mark.At),
      end: mark.End === null ? null : Date.parse(mark.End),
      moment: mark.At,
      words: mark.Text,
      by: mark.By,
      link: mark.Link,
      changes: mark.Changes,
      markId: mark.mark_id,
      mscheduleId: mark.mschedule_id,
    }),
  );
  const errors = outages.map(
    ({ outage_id, Start, CheckResult }): DeviceMark => ({
      key: outage_id,
      kind: 'Error',
      at: Date.parse(Start),
      end: null,
      moment: Start,
      words: CheckResult ?? '',
      by: null,
      link: null,
      changes: [],
      markId: null,
      mscheduleId: null,
    }),
  );
  return [...known, ...errors].sort((a, b) => b.at - a.at);
}
