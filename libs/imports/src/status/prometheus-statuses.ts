import { parseJson } from '../input/structured-text.ts';
import { readText, unreadable } from '../input/text-file.ts';
import { listOf, recordOf, textOf } from '../values/unknown-values.ts';
import type { ReportedStatus } from './reported-status.ts';

const accepts = 'the answer of /api/v1/query?query=probe_success as JSON';

/** Reads the answer of `/api/v1/query?query=probe_success`. It has no reason and no time of the last change. */
export function readProbeSuccess(file: string): readonly ReportedStatus[] {
  const answer = recordOf(parseJson(readText(file), file, accepts));
  const result = recordOf(answer?.['data'])?.['result'];
  if (answer?.['status'] !== 'success' || !Array.isArray(result))
    throw unreadable(`${file} has no data.result; accepted is ${accepts}`);
  return result.map((series: unknown, index) => {
    const metric = recordOf(recordOf(series)?.['metric']) ?? {};
    const value = textOf(listOf(recordOf(series)?.['value'])[1]);
    const target = textOf(metric['target']) ?? textOf(metric['instance']);
    const name = textOf(metric['name']);
    if (target === undefined || value === undefined)
      throw unreadable(`${file}: data.result[${index}] has no instance or no value; accepted is ${accepts}`);
    return {
      ids: name === undefined ? [target] : [target, name],
      name: target,
      verdict: value === '1' ? 'Up' : 'Down',
      sinceMs: undefined,
      why: value === '1' ? '' : `probe_success ${value}`,
    };
  });
}
