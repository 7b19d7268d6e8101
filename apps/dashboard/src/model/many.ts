import type { State, StateFacts } from './state.ts';

/** The actions on many devices. */
export type Act = 'maintenance' | 'pause' | 'resume' | 'tag' | 'remove';

/** A request of a batch. */
export interface Operation {
  readonly Method: 'POST' | 'PUT' | 'DELETE';
  readonly Path: string;
  readonly Body?: object;
}

interface Chosen {
  readonly id: string;
  readonly state: State;
  readonly isEnabled: boolean;
  readonly tags: readonly string[];
}

/** The facts that an action changes. */
interface Expected extends Partial<Pick<StateFacts, 'status' | 'isEnabled'>> {
  readonly tags?: readonly string[];
}

/** The preview of an action. */
export interface Plan {
  readonly act: Act;
  readonly tag: string;
  /** One for each device that it changes. */
  readonly operations: readonly Operation[];
  /** The effect of each on its device, in the same order; `facts` is undefined where the device is deleted. */
  readonly expected: readonly { readonly id: string; readonly facts: Expected | undefined }[];
  /** The undo of each, in the same order; empty where there is none. */
  readonly undo: readonly Operation[];
  /** Devices that are so already. */
  readonly unchanged: number;
  /** Of those that it changes. */
  readonly down: number;
  readonly inMaintenance: number;
}

const pathOf = ({ id }: Chosen) => `/devices/${id}`;
const put = (Path: string, Body: object): Operation => ({ Method: 'PUT', Path, Body });
const setEnabled = (row: Chosen, Enabled: boolean) => put(pathOf(row), { Enabled });

interface Rule {
  readonly isSo: (row: Chosen, tag: string) => boolean;
  readonly change: (row: Chosen, tag: string) => Operation;
  readonly back?: (row: Chosen) => Operation;
  readonly expected: (row: Chosen, tag: string) => Expected | undefined;
}

const rules: Readonly<Record<Act, Rule>> = {
  maintenance: {
    isSo: ({ state }) => state === 'Maint',
    change: (row) => put(`${pathOf(row)}/start-maintenance`, { Duration: '01:00', Reason: null }),
    back: (row) => ({ Method: 'PUT', Path: `${pathOf(row)}/stop-maintenance` }),
    expected: () => ({ status: 'Maint' }),
  },
  pause: {
    isSo: ({ isEnabled }) => !isEnabled,
    change: (row) => setEnabled(row, false),
    back: (row) => setEnabled(row, true),
    expected: () => ({ isEnabled: false, status: 'Unknown' }),
  },
  resume: {
    isSo: ({ isEnabled }) => isEnabled,
    change: (row) => setEnabled(row, true),
    back: (row) => setEnabled(row, false),
    expected: () => ({ isEnabled: true, status: 'Unknown' }),
  },
  tag: {
    isSo: ({ tags }, tag) => tags.includes(tag),
    change: (row, tag) => put(pathOf(row), { Tags: [...row.tags, tag] }),
    back: (row) => put(pathOf(row), { Tags: row.tags }),
    expected: (row, tag) => ({ tags: [...row.tags, tag] }),
  },
  remove: {
    isSo: () => false,
    change: (row) => ({ Method: 'DELETE', Path: pathOf(row) }),
    expected: () => undefined,
  },
};

/** Previews an action on these devices. `tag` is the one that the act `tag` gives them. */
export function planOf(act: Act, rows: readonly Chosen[], tag = ''): Plan {
  const { isSo, change, back, expected } = rules[act];
  const changed = rows.filter((row) => !isSo(row, tag));
  const inState = (state: State) => changed.filter((row) => row.state === state).length;
  return {
    act,
    tag,
    operations: changed.map((row) => change(row, tag)),
    expected: changed.map((row) => ({ id: row.id, facts: expected(row, tag) })),
    undo: back === undefined ? [] : changed.map(back),
    unchanged: rows.length - changed.length,
    down: inState('Down'),
    inMaintenance: inState('Maint'),
  };
}
