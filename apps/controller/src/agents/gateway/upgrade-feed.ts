import { create } from '@bufbuild/protobuf';
import { type Upgrade, type UpgradeReport, UpgradeSchema } from '@vantage/proto';
import type { KnownAgent } from './gateway-store.ts';

/** The agent of an upgrade, with the names that the log shows. */
type UpgradingAgent = Pick<KnownAgent, 'agentNo' | 'agentName' | 'locationName'>;

/** The upgrades of agents, as the gateway uses them. */
export interface AgentUpgrades {
  /** The version to which an agent is to upgrade; undefined: none. */
  open(agentNo: number): Promise<{ readonly upgradeId: string; readonly version: string } | undefined>;
  /** An agent says where its upgrade stands. */
  report(agent: UpgradingAgent, report: UpgradeReport): void;
}

/** The upgrade of one session's agent. */
export interface UpgradeFeed {
  /** The upgrade that this session has not sent yet; undefined: none. */
  next(): Promise<Upgrade | undefined>;
  report(report: UpgradeReport): void;
}

/** An upgrade has four reports; an agent with more of them in one session is not listened to. */
const maxReports = 50;

/** Creates the feed of one session. */
export function createUpgradeFeed(upgrades: AgentUpgrades, agent: UpgradingAgent): UpgradeFeed {
  let sent = '';
  let reports = 0;
  return {
    async next() {
      const open = await upgrades.open(agent.agentNo);
      if (open === undefined || open.upgradeId === sent) return undefined;
      sent = open.upgradeId;
      return create(UpgradeSchema, open);
    },
    report(report) {
      reports += 1;
      if (reports <= maxReports) upgrades.report(agent, report);
    },
  };
}

/** For a gateway whose agents are never upgraded remotely. */
export const noUpgrades: AgentUpgrades = { open: async () => undefined, report() {} };
