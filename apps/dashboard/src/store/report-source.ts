import { ApiProblem, api, send, take, takeAnswer } from './api.ts';
import type { ReportSource } from './read-report.ts';

/** The figures of a report, from the API. */
export const reportSource: ReportSource = {
  uptime: (query) => take(api.GET('/uptime', { params: { query: { ...query, Device: [...query.Device] } } })),
  timeline: (query) =>
    take(api.GET('/timeline', { params: { query: { ...query, Device: [...query.Device] } } })),
  async outages(query) {
    const { data, hasMore } = await takeAnswer(api.GET('/outages', { params: { query } }));
    return { rows: data, hasMore };
  },
  async outagesOf(device_id, query) {
    const params = { path: { device_id }, query };
    const { data, hasMore } = await takeAnswer(api.GET('/devices/{device_id}/outages', { params }));
    return { rows: data, hasMore };
  },
  async uptimeCsv(query) {
    const all = new URLSearchParams({
      ...query,
      Device: query.Device.join(),
      Limit: `${query.Limit}`,
      fmt: 'csv',
    });
    const answer = await send(new Request(`/v1.1/uptime?${all}`));
    const text = await answer.text();
    if (!answer.ok) throw new ApiProblem(answer.status, text.slice(0, 200));
    return text;
  },
};

/** Changes the note on an outage, and whether it counts. */
export async function noteOutage(
  outage_id: string,
  body: { readonly Note: string | null; readonly Excluded: boolean },
): Promise<void> {
  await take(api.PUT('/outages/{outage_id}', { params: { path: { outage_id } }, body }));
}
