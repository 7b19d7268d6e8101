import { deviceStatuses, secondUs } from '@vantage/domain';
import type { Db } from '@vantage/storage';
import { Counter, Gauge, Registry } from 'prom-client';
import {
  countAlerts,
  countDevices,
  countOutages,
  countRetrying,
  readAgents,
  readDevices,
  readLocations,
  sumChecks,
} from './account-metrics-store.ts';
import { deviceSeries } from './device-series.ts';
import { valueSeries } from './value-series.ts';

/** The maximum of rows of each kind in one scrape; `vantage_scrape_truncated` reports that there are more. */
const maxRows = { locations: 1_000, agents: 1_000, devices: 20_000 } as const;
const alertStates = ['Open', 'Acknowledged', 'Snoozed'] as const;
const agentStates = ['New', 'Connected', 'Away', 'Fenced', 'Expired'] as const;

/** The account, the time and the options of a scrape. */
export interface ScrapeRequest {
  readonly accountNo: number;
  readonly nowUs: number;
  /** Adds series for each device, and for each of its values. */
  readonly withDevices: boolean;
}

/**
 * The series of one account in the text format of Prometheus, read now from the database: one query for each group of
 * them. It has nothing of other accounts.
 */
export async function accountMetrics(
  db: Pick<Db, 'kysely'>,
  scrape: ScrapeRequest,
): Promise<{ readonly type: string; readonly text: string }> {
  const { accountNo, nowUs } = scrape;
  const registry = new Registry();
  const registers = [registry];
  const truncated = new Gauge({
    name: 'vantage_scrape_truncated',
    help: '1 when the account has more rows of this kind than one scrape shows.',
    labelNames: ['kind'],
    registers,
  });
  addDevices(registry, await countDevices(db, accountNo, nowUs), await countRetrying(db, accountNo));
  addChecks(registry, await sumChecks(db, accountNo));
  addOutages(registry, await countOutages(db, accountNo, nowUs));
  addAlerts(registry, await countAlerts(db, accountNo, nowUs));
  const shown = <Row>(kind: keyof typeof maxRows, rows: readonly Row[]): readonly Row[] => {
    truncated.set({ kind }, rows.length > maxRows[kind] ? 1 : 0);
    return rows.slice(0, maxRows[kind]);
  };
  addLocations(registry, shown('locations', await readLocations(db, accountNo, maxRows.locations + 1)));
  addAgents(registry, shown('agents', await readAgents(db, accountNo, { nowUs, limit: maxRows.agents + 1 })));
  const devices = scrape.withDevices
    ? await readDevices(db, accountNo, { nowUs, limit: maxRows.devices + 1 })
    : undefined;
  const values = scrape.withDevices ? await valueSeries(db, { accountNo, nowUs }) : undefined;
  if (values !== undefined) truncated.set({ kind: 'values' }, values.isTruncated ? 1 : 0);
  const series =
    devices === undefined ? '' : `\n${await deviceSeries(shown('devices', devices))}${values?.text ?? ''}`;
  return { type: registry.contentType, text: `${await registry.metrics()}${series}` };
}

function addDevices(
  registry: Registry,
  rows: Awaited<ReturnType<typeof countDevices>>,
  retryingDevices: number,
): void {
  const devices = new Gauge({
    name: 'vantage_devices',
    help: 'Devices of the account by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  const retrying = new Gauge({
    name: 'vantage_devices_retrying',
    help: 'Devices whose last check failed and is being retried; their status has not changed yet.',
    registers: [registry],
  });
  for (const status of deviceStatuses) devices.set({ status }, 0);
  for (const row of rows) devices.set({ status: row.status }, row.devices);
  retrying.set(retryingDevices);
}

function addChecks(registry: Registry, rows: Awaited<ReturnType<typeof sumChecks>>): void {
  const labelNames = ['method', 'result_code', 'location'] as const;
  const checks = new Counter({
    name: 'vantage_checks_total',
    help: 'Checks that were stored, by Method, ResultCode and Location (retries and checks on request count too).',
    labelNames,
    registers: [registry],
  });
  const seconds = new Counter({
    name: 'vantage_check_duration_seconds_total',
    help: 'Sum of the RequestTime of these checks.',
    labelNames,
    registers: [registry],
  });
  for (const { method, code, location, ...sums } of rows) {
    const labels = { method, result_code: String(code), location };
    checks.inc(labels, sums.checks);
    seconds.inc(labels, sums.duration_ms / 1000);
  }
}

function addOutages(registry: Registry, row: Awaited<ReturnType<typeof countOutages>>): void {
  const registers = [registry];
  new Gauge({ name: 'vantage_outages_open', help: 'Outages that have not ended.', registers }).set(row.open);
  new Gauge({
    name: 'vantage_outages_last_day',
    help: 'Down events of the last 24 hours.',
    registers,
  }).set(row.began);
  if (row.oldest_us !== null)
    new Gauge({
      name: 'vantage_outage_oldest_start_timestamp_seconds',
      help: 'First error of the oldest open outage; absent while no outage is open.',
      registers,
    }).set(row.oldest_us / secondUs);
}

function addAlerts(registry: Registry, rows: Awaited<ReturnType<typeof countAlerts>>): void {
  const alerts = new Gauge({
    name: 'vantage_alerts',
    help: 'Alerts that are not closed, by state.',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of alertStates) alerts.set({ state }, 0);
  for (const row of rows) alerts.set({ state: row.state }, row.alerts);
}

function addLocations(
  registry: Registry,
  rows: readonly Awaited<ReturnType<typeof readLocations>>[number][],
): void {
  const options = { labelNames: ['location'], registers: [registry] };
  const online = new Gauge({
    ...options,
    name: 'vantage_location_online',
    help: '1 while the Location has an agent that is connected and runs its checks.',
  });
  const devices = new Gauge({
    ...options,
    name: 'vantage_location_devices',
    help: 'Devices that are checked from the Location.',
  });
  for (const row of rows) {
    online.set({ location: row.name }, row.online ? 1 : 0);
    devices.set({ location: row.name }, row.devices);
  }
}

function addAgents(
  registry: Registry,
  rows: readonly Awaited<ReturnType<typeof readAgents>>[number][],
): void {
  const registers = [registry];
  const labelNames = ['agent_id', 'agent', 'location'] as const;
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const agents = new Gauge({
    name: 'vantage_agents',
    help: 'Agents of the account by state; revoked ones do not count.',
    labelNames: ['state'],
    registers,
  });
  const connected = gauge('vantage_agent_connected', '1 while the agent is connected to a controller.');
  const seen = gauge('vantage_agent_last_seen_timestamp_seconds', 'When the agent was last heard.');
  const offset = gauge('vantage_agent_clock_offset_seconds', "How far the agent's clock is off.");
  const backlog = gauge('vantage_agent_backlog_records', "Records in the agent's outbox.");
  const lateness = new Gauge({
    name: 'vantage_agent_check_lateness_seconds',
    help: 'How late the agent starts checks.',
    labelNames: [...labelNames, 'percentile'],
    registers,
  });
  const skipped = new Counter({
    name: 'vantage_agent_checks_skipped_total',
    help: 'Checks that the agent could not start.',
    labelNames,
    registers,
  });
  const upgrades = new Gauge({
    name: 'vantage_agent_upgrades',
    help: 'Agents of the account by the state of their latest upgrade.',
    labelNames: ['state'],
    registers,
  });
  for (const { upgrade: state } of rows) if (state !== null) upgrades.inc({ state });
  for (const state of agentStates) agents.set({ state }, rows.filter((row) => row.state === state).length);
  for (const row of rows) {
    const labels = { agent_id: row.agent_id, agent: row.name, location: row.location };
    connected.set(labels, row.state === 'Connected' ? 1 : 0);
    if (row.last_seen_us !== null) seen.set(labels, row.last_seen_us / secondUs);
    offset.set(labels, row.clock_offset_us / secondUs);
    backlog.set(labels, row.backlog_records);
    lateness.set({ ...labels, percentile: '50' }, row.lateness_p50_ms / 1000);
    lateness.set({ ...labels, percentile: '99' }, row.lateness_p99_ms / 1000);
    skipped.inc(labels, Math.max(0, row.checks_skipped));
  }
}
