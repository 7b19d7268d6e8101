import type { Page, Route } from 'playwright-core';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const idOf = (at: number) => at.toString(16).padStart(48, '0');

const places = ['Berlin', 'Frankfurt', 'Hamburg', 'Oslo', 'Rotterdam', 'Warsaw'] as const;

/** An agent as the API shows it. `at` is its number. */
function agentOf(at: number, values: object) {
  const place = Math.floor(at / 2) % places.length;
  const Location = places[place] ?? '';
  return {
    agent_id: idOf(at + 1_000),
    location_id: idOf(place),
    Location,
    Name: `${Location.toLowerCase().slice(0, 3)}-a${(at % 2) + 1}`,
    HostName: `edge-${at}.example.org`,
    Version: '0.3.0',
    State: 'Connected',
    LastSeen: ago(2_000),
    ClockOffset: at % 3 === 0 ? -0.2 : 0.6,
    Backlog: 0,
    Lateness: { p50: 0.8, p99: 2 + at },
    Capacity: 6_000,
    Load: 98 + 190 * (at % 7),
    OfflineReason: null,
    CertificateEnd: new Date(Date.now() + 5 * dayMs).toISOString(),
    Upgrade: null,
    CreatedAt: ago(61 * dayMs),
    UpdatedAt: ago(61 * dayMs),
    ...values,
  };
}

const agents = () => [
  agentOf(0, {}),
  agentOf(1, {
    Version: '0.2.4',
    Upgrade: { Version: '0.3.0', State: 'Restarting', Reason: null, Since: ago(20_000) },
  }),
  agentOf(2, { Upgrade: { Version: '0.3.0', State: 'Done', Reason: null, Since: ago(600_000) } }),
  agentOf(3, {
    Version: '0.2.4',
    Upgrade: { Version: '0.3.0', State: 'Waiting', Reason: null, Since: ago(600_000) },
  }),
  agentOf(4, { State: 'Away', LastSeen: ago(6 * minuteMs), Load: 0 }),
  agentOf(6, { ClockOffset: 2_100, Backlog: 1_204 }),
  agentOf(7, { Version: '0.2.4' }),
  agentOf(8, { Capacity: 1_500, Load: 1_214, Lateness: { p50: 3, p99: 840 } }),
  agentOf(10, {}),
  agentOf(11, {
    Name: '',
    HostName: null,
    Version: null,
    State: 'New',
    LastSeen: null,
    ClockOffset: 0,
    Lateness: { p50: 0, p99: 0 },
    Load: 0,
    CertificateEnd: null,
    CreatedAt: ago(2 * minuteMs),
  }),
];

const locations = () =>
  places.map((Name, at) => ({
    location_id: idOf(at),
    Name,
    ExternalKey: null,
    Source: null,
    PublicTargetsOnly: false,
    nschedule_id: null,
    Online: Name !== 'Hamburg',
    OfflineReason: null,
    Agents: { Count: 2, Connected: Name === 'Hamburg' ? 0 : 2 },
    Load: { Devices: [1_235, 957, 17, 611, 1_190, 802][at], ChecksPerMinute: 700, Capacity: 12_000 },
    Anchors: at === 4 ? [] : [{ Name: 'gateway', Target: '192.0.2.1', Networks: [] }],
    AnchorStates:
      at === 4
        ? []
        : [
            {
              Name: 'gateway',
              State: Name === 'Hamburg' ? 'Unknown' : at === 5 ? 'Down' : 'Up',
              Reason: at === 5 ? 'no answer from 192.0.2.1 within 5 s' : null,
            },
          ],
    CreatedAt: ago(90 * dayMs),
    UpdatedAt: ago(90 * dayMs),
  }));

const counts = () =>
  places.map((Name, at) => ({
    location_id: idOf(at),
    Name,
    Online: Name !== 'Hamburg',
    Worst: Name === 'Hamburg' ? 'Unknown' : 'Up',
    Up: 600,
    Down: at === 5 ? 3 : 0,
    Maint: 0,
    Unknown: Name === 'Hamburg' ? 17 : 0,
  }));

/** Answers with six Locations and ten agents: one is offline, one is full, one has a wrong clock, one is invited. */
export async function fleetWorld(page: Page): Promise<void> {
  await page.route(/\/v1\.1\/agents(\?|$)/, (route) => route.fulfill({ json: agents() }));
  await page.route(/\/v1\.1\/locations(\?|$)/, (route) => route.fulfill({ json: locations() }));
  await page.route(/\/v1\.1\/summary\?By=Location/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), Locations: counts() } });
  });
}

const many = 200;

/** The state of the upgrade of agent number `at`. */
const upgradeOf = (at: number) => ({
  State: at < 22 ? 'Done' : at >= 34 ? 'Waiting' : at % 2 === 0 ? 'Downloading' : 'Restarting',
  Reason: null,
  Since: ago(40_000 + at * 1_000),
});

/** Agent number `at` of many at the six Locations, a part of them in the middle of an upgrade. */
function oneOfMany(at: number) {
  return agentOf(at, {
    agent_id: idOf(at + 9_000),
    Name: `${(places[Math.floor(at / 2) % places.length] ?? '').toLowerCase().slice(0, 3)}-${at}`,
    Version: at < 22 ? '0.3.0' : at % 9 === 0 ? '0.2.1' : '0.2.4',
    Lateness: { p50: 0.8, p99: 2 + (at % 40) },
    ...(at % 41 === 0 ? { State: 'Away', LastSeen: ago(at * minuteMs + 60_000), Load: 0 } : {}),
    Upgrade: { Version: '0.3.0', ...upgradeOf(at) },
  });
}

/** A rollout of many agents that runs, and an older one that stopped. */
const rollouts = () => {
  const agents = Array.from({ length: many }, (_, at) => oneOfMany(at));
  const agentRow = (agent: ReturnType<typeof oneOfMany>, values: object) => ({
    agent_id: agent.agent_id,
    Name: agent.Name,
    HostName: agent.HostName,
    Location: agent.Location,
    Connected: agent.State === 'Connected',
    ...values,
  });
  return [
    {
      Version: '0.3.0',
      State: 'Running',
      Reason: null,
      Started: ago(14 * minuteMs),
      Ended: null,
      Stage: 3,
      MayBegin: 98,
      Agents: agents.map((agent, at) => agentRow(agent, upgradeOf(at))),
    },
    {
      Version: '0.2.5',
      State: 'Stopped',
      Reason: 'agent ham-1 failed: version 0.2.5 did not connect and report within 120 s',
      Started: ago(3 * dayMs),
      Ended: ago(3 * dayMs - 9 * minuteMs),
      Stage: null,
      MayBegin: null,
      Agents: ['Failed', 'Stopped', 'Stopped', 'Done'].map((State, at) => ({
        agent_id: idOf(at + 20_000),
        Name: `ham-${at + 1}`,
        HostName: null,
        Location: 'Hamburg',
        Connected: true,
        State,
        Reason:
          State === 'Failed'
            ? 'version 0.2.5 did not connect and report within 120 s'
            : State === 'Stopped'
              ? 'the rollout stopped, because agent ham-1 failed'
              : null,
        Since: ago(3 * dayMs),
      })),
    },
  ];
};

/** Answers an upgrade of agents: two of them are left out. */
async function planUpgrade(route: Route): Promise<void> {
  const asked = route.request().postDataJSON() as { Version: string; Agents: readonly string[] };
  const Skipped = asked.Agents.slice(0, 2).map((agent_id) => ({
    agent_id,
    Name: '',
    Reason: `it runs version ${asked.Version} already`,
  }));
  await route.fulfill({
    json: { Version: asked.Version, Agents: asked.Agents.length - Skipped.length, Skipped },
  });
}

/** Results that were not accepted, by agent and reason. */
const quarantine = () => [
  {
    agent_id: idOf(9_004),
    Agent: 'ham-4',
    Location: 'Hamburg',
    Reason: 'its start is more than 5 minutes in the future',
    Records: 1_000,
    Waiting: 0,
    First: ago(3 * 3_600_000),
    Last: ago(4 * minuteMs),
  },
  {
    agent_id: idOf(9_007),
    Agent: 'osl-7',
    Location: 'Oslo',
    Reason: 'it is older than 35 days',
    Records: 12,
    Waiting: 12,
    First: ago(2 * dayMs),
    Last: ago(2 * dayMs),
  },
];

/** Answers with six Locations and 200 agents, of which a rollout upgrades a part, and with results in quarantine. */
export async function manyAgents(page: Page): Promise<void> {
  await fleetWorld(page);
  const agents = Array.from({ length: many }, (_, at) => oneOfMany(at));
  await page.route(/\/v1\.1\/agents(\?|$)/, (route) => route.fulfill({ json: agents }));
  await page.route(/\/v1\.1\/rollouts(\?|$)/, (route) => route.fulfill({ json: rollouts() }));
  await page.route(/\/v1\.1\/agents\/upgrade$/, planUpgrade);
  await page.route(/\/v1\.1\/quarantine(\?|$)/, (route) => route.fulfill({ json: quarantine() }));
}

/** Answers with many Locations of one agent each. */
export async function manyLocations(page: Page): Promise<void> {
  const rows = Array.from({ length: 1_000 }, (_, at) => at);
  const [location] = locations();
  const json = rows.map((at) => ({
    ...location,
    location_id: idOf(at),
    Name: `Site ${at}`,
    Online: at % 97 !== 0,
  }));
  const sites = rows.map((at) => ({
    ...agentOf(0, {}),
    agent_id: idOf(at + 5_000),
    location_id: idOf(at),
    Location: `Site ${at}`,
    Name: `site-${at}`,
    ...(at % 97 === 0 ? { State: 'Away', LastSeen: ago(at * 1_000) } : {}),
  }));
  await page.route(/\/v1\.1\/agents(\?|$)/, (route) => route.fulfill({ json: sites }));
  await page.route(/\/v1\.1\/locations(\?|$)/, (route) => route.fulfill({ json }));
}
