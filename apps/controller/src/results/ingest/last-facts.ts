import { mebibyte } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { CheckRow } from './check-row.ts';

/** The facts of a check: its text and its extended data. Most good checks of a device have the same. */
export interface KeptFacts {
  readonly dayUs: number;
  readonly text: string;
  readonly extended: string | null;
  /** The number under which they are committed. */
  factsNo: number | null;
}

/**
 * Upper limit of the memory for facts of the last checks, bytes. 50,000 pairs of an agent and a device with texts of
 * usual length fit.
 */
export const maxBytes = 32 * mebibyte;

/** An agent's part of the memory. */
interface LastFactsOfAgent {
  readonly devices: Map<number, KeptFacts>;
  bytes: number;
}

/** The key, the object and two strings without their characters. */
const entryBytes = 200;

function bytesOf({ text, extended }: KeptFacts): number {
  return entryBytes + 2 * (text.length + (extended?.length ?? 0));
}

const tracked = declareState({
  name: 'last_facts',
  entries: maxBytes,
  entryBytes: 1,
  filledBy: 'agents',
  atBound: 'those of the agents with the most are forgotten',
});

/**
 * The facts of the last check of each agent and device. Over `limitBytes` the agents with the most bytes are
 * forgotten, down to three quarters of the limit, so one agent with long texts does not evict the others.
 * A forgotten text costs a row with facts of its own.
 */
export function createLastFacts(limitBytes: number) {
  const agents = new Map<number, LastFactsOfAgent>();
  let bytes = 0;
  const shrink = () => {
    for (const [agentNo, greatest] of [...agents].sort(([, a], [, b]) => b.bytes - a.bytes)) {
      agents.delete(agentNo);
      bytes -= greatest.bytes;
      if (bytes <= (limitBytes * 3) / 4) return;
    }
  };
  return tracked({
    get: ({ agent_no, device_no }: PairOfCheck) => agents.get(agent_no)?.devices.get(device_no),
    set({ agent_no, device_no }: PairOfCheck, facts: KeptFacts) {
      const agent = agents.get(agent_no) ?? { devices: new Map<number, KeptFacts>(), bytes: 0 };
      agents.set(agent_no, agent);
      const before = agent.devices.get(device_no);
      const more = bytesOf(facts) - (before === undefined ? 0 : bytesOf(before));
      agent.devices.set(device_no, facts);
      agent.bytes += more;
      bytes += more;
      if (bytes > limitBytes) shrink();
    },
    /** An upper bound of what it occupies. */
    get bytes() {
      return bytes;
    },
  });
}

type PairOfCheck = Pick<CheckRow, 'agent_no' | 'device_no'>;
