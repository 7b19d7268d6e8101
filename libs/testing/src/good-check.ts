import type { Row } from '@vantage/storage';

/** A row of a check of device 1 that found it Up and ended at once; `values` overrides. */
export function goodCheck(startUs: number, values: Partial<Row<'checks'>> = {}): Row<'checks'> {
  return {
    device_no: 1,
    start_us: startUs,
    agent_no: 1,
    location_no: 1,
    end_us: startUs,
    arrived_us: startUs,
    revision: 1,
    attempt: 0,
    code: 1,
    perf: 0,
    block_ms: 0,
    dns_ms: 1,
    connect_ms: 2,
    ssl_ms: 3,
    ttfb_ms: 4,
    ttlb_ms: 0,
    data_size: 0,
    check_result: 'ok',
    retry_id: null,
    run_request_id: null,
    extended: null,
    behind_anchor: null,
    measured: null,
    ...values,
  };
}
