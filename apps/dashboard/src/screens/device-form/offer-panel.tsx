import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { amount } from '../../model/amount.ts';
import {
  entriesOf,
  isInterfaceChosen,
  isValueChosen,
  maxInterfaces,
  maxValues,
  type OfferedInterface,
  type OfferedValue,
  type OfferFilter,
  shownInterfaces,
  shownValues,
  withInterface,
  withOfferedValue,
} from '../../model/offer-choice.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { ApiProblem, api, take } from '../../store/api.ts';
import { type DeviceFieldsProps, faultsOf, optionAt, setOption, trialBody } from './device-draft.ts';
import css from './offer-panel.module.css';
import { offerTexts as say } from './offer-texts.ts';

type Offer = Schemas['DeviceOffer'];

type Asked =
  | { readonly state: 'asking' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'done'; readonly offer: Offer };

interface OfferPanelProps extends DeviceFieldsProps {
  /** The stored device, whose secrets replace masks. */
  readonly id: string | undefined;
  readonly locations: readonly string[];
  /** A field cannot be sent. */
  readonly onFault: () => void;
  /** The API refused the settings. */
  readonly onProblem: (problem: Error | undefined) => void;
}

/** Asks the device of the draft what it offers, and fills the Options with the chosen interfaces and values. */
export function OfferPanel({ draft, set, id, locations, onFault, onProblem }: OfferPanelProps) {
  const [asked, setAsked] = useState<Asked>();
  const [chosen, setChosen] = useState('');
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const location = locations.includes(chosen) ? chosen : (locations[0] ?? '');
  const ask = async () => {
    if (faultsOf(draft).size > 0) return onFault();
    leaving.current?.abort();
    const leave = new AbortController();
    leaving.current = leave;
    const { signal } = leave;
    onProblem(undefined);
    setAsked({ state: 'asking' });
    try {
      const body = trialBody(draft, location, id) as Schemas['CheckTrial'];
      const offer = await take(api.POST('/checks/offer', { body, signal }));
      setAsked({ state: 'done', offer });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiProblem && error.fields.length > 0) {
        setAsked(undefined);
        onProblem(error);
      } else setAsked({ state: 'refused', reason: problemWords(error) });
    }
  };
  const isAsking = asked?.state === 'asking';
  return (
    <section class={css['panel']} aria-label={say.ask}>
      <div class={css['head']}>
        <button
          type="button"
          class="button"
          disabled={isAsking || location === ''}
          onClick={() => void ask()}
        >
          {isAsking ? say.asking : asked === undefined ? say.ask : say.askAgain}
        </button>
        {locations.length > 1 && (
          <label class={css['from']}>
            {say.from}
            <select value={location} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {locations.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="hint">{location === '' ? say.noLocation : say.hint}</span>
      </div>
      <div role="status">
        {asked?.state === 'refused' && <p class={css['fault']}>{say.refused(asked.reason)}</p>}
        {asked?.state === 'done' && <OfferSummary offer={asked.offer} />}
      </div>
      {asked?.state === 'done' && asked.offer.System !== null && (
        <OfferChoice offer={asked.offer} draft={draft} set={set} />
      )}
    </section>
  );
}

function OfferSummary({
  offer: { System, CheckResult, Interfaces, Values, IsComplete },
}: {
  readonly offer: Offer;
}) {
  if (System === null) return <p class={css['fault']}>{say.failed(CheckResult)}</p>;
  return (
    <p class="hint" title={System.Description}>
      {say.found(System.Name, Interfaces.length, Values.length)} {!IsComplete && say.incomplete}
    </p>
  );
}

function OfferChoice({ offer, draft, set }: { readonly offer: Offer } & DeviceFieldsProps) {
  const [filter, setFilter] = useState<OfferFilter>({ search: '', isUpOnly: false, hasAliasOnly: false });
  const interfaces = entriesOf(optionAt(draft, ['Interfaces']));
  const values = entriesOf(optionAt(draft, ['Values']));
  const toggle = (name: 'isUpOnly' | 'hasAliasOnly', words: string) => (
    <button
      type="button"
      class="button"
      aria-pressed={filter[name]}
      onClick={() => setFilter({ ...filter, [name]: !filter[name] })}
    >
      {words}
    </button>
  );
  return (
    <div class={css['choice']}>
      <div class={css['filter']}>
        <input
          type="search"
          aria-label={say.search}
          placeholder={say.search}
          value={filter.search}
          onInput={({ currentTarget }) => setFilter({ ...filter, search: currentTarget.value })}
        />
        {toggle('isUpOnly', say.upOnly)}
        {toggle('hasAliasOnly', say.withAlias)}
      </div>
      {offer.Interfaces.length > 0 && (
        <Chosen
          title={say.interfaces(interfaces?.length ?? 0)}
          count={interfaces?.length}
          max={maxInterfaces}
        >
          <InterfaceTable
            rows={shownInterfaces(offer.Interfaces, filter)}
            isChosen={(each) => isInterfaceChosen(interfaces ?? [], each)}
            isFull={interfaces === undefined || interfaces.length >= maxInterfaces}
            onToggle={(each) =>
              set(setOption(draft, ['Interfaces'], withInterface(interfaces ?? [], each, offer.Interfaces)))
            }
          />
        </Chosen>
      )}
      {offer.Values.length > 0 && (
        <Chosen title={say.values(values?.length ?? 0)} count={values?.length} max={maxValues}>
          <ValueTable
            rows={shownValues(offer.Values, filter)}
            isChosen={(each) => isValueChosen(values ?? [], each)}
            isFull={values === undefined || values.length >= maxValues}
            onToggle={(each) => set(setOption(draft, ['Values'], withOfferedValue(values ?? [], each)))}
          />
        </Chosen>
      )}
    </div>
  );
}

/** A table of the offer under its title, with the reason why no more can be chosen. */
function Chosen({
  title,
  count,
  max,
  children,
}: {
  readonly title: string;
  /** undefined: the list of the form cannot be read. */
  readonly count: number | undefined;
  readonly max: number;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <h2>{title}</h2>
      {count === undefined && <p class={css['fault']}>{say.typing}</p>}
      {count !== undefined && count >= max && <p class="hint">{say.full(max)}</p>}
      <ScrollSection label={title} class={css['table'] ?? 'scroll'}>
        {children}
      </ScrollSection>
    </div>
  );
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly isChosen: (row: Row) => boolean;
  /** No further row can be chosen. */
  readonly isFull: boolean;
  readonly onToggle: (row: Row) => void;
}

function InterfaceTable({ rows, isChosen, isFull, onToggle }: TableProps<OfferedInterface>) {
  if (rows.length === 0) return <p class="hint">{say.noMatch}</p>;
  const { head } = say;
  return (
    <table>
      <thead>
        <tr>
          <td />
          {[head.name, head.alias, head.status].map((words) => (
            <th key={words} scope="col">
              {words}
            </th>
          ))}
          {[head.speed, head.in, head.out].map((words) => (
            <th key={words} scope="col" class={css['number']}>
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { Index, Name, Alias, Status, AdminStatus, Speed, InBits, OutBits } = row;
          const name = Name === '' ? say.unnamed(Index) : Name;
          const isOn = isChosen(row);
          return (
            <tr key={Index}>
              <td>
                <input
                  type="checkbox"
                  aria-label={say.watch(name)}
                  checked={isOn}
                  disabled={!isOn && isFull}
                  onChange={() => onToggle(row)}
                />
              </td>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td class="cut" title={Alias}>
                <bdi>{Alias}</bdi>
              </td>
              <td>{AdminStatus === 'Up' ? Status : say.shut}</td>
              <td class={css['number']}>{amount(Speed, 'bit/s')}</td>
              <td class={css['number']}>{amount(InBits, 'bit/s')}</td>
              <td class={css['number']}>{amount(OutBits, 'bit/s')}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function ValueTable({ rows, isChosen, isFull, onToggle }: TableProps<OfferedValue>) {
  if (rows.length === 0) return <p class="hint">{say.noMatch}</p>;
  const { valueHead } = say;
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">{valueHead.label}</th>
          <th scope="col" class={css['number']}>
            {valueHead.now}
          </th>
          <th scope="col">{valueHead.group}</th>
          <th scope="col">{valueHead.object}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const isOn = isChosen(row);
          return (
            <tr key={row.Name}>
              <td>
                <input
                  type="checkbox"
                  aria-label={say.watch(row.Label)}
                  checked={isOn}
                  disabled={!isOn && isFull}
                  onChange={() => onToggle(row)}
                />
              </td>
              <th scope="row">
                <bdi>{row.Label}</bdi>
              </th>
              <td class={css['number']}>{amount(row.Value, row.Unit)}</td>
              <td>{row.Group}</td>
              <td class="mute">{row.Name}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
