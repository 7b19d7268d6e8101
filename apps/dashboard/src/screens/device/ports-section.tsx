import { useState } from 'preact/hooks';
import { amount } from '../../model/amount.ts';
import { type Port, portCounts, portLabels, portsOf, shortName } from '../../model/ports.ts';
import { labelList } from '../../model/value-charts.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { useRead } from '../../parts/use-read.ts';
import { go } from '../../store/address.ts';
import css from './ports.module.css';
import { portsTexts as say } from './ports-texts.ts';
import { addressWith } from './range.ts';
import { type Check, readExtended } from './read-detail.ts';

/** A check with these codes has an answer of the device. */
const answered: readonly number[] = [1, 7];

/** The watched interfaces of an SNMP device, as its newest check with an answer found them. */
export function PortsSection({ checks }: { readonly checks: readonly Check[] }) {
  const newest = checks.find(({ ResultCode }) => answered.includes(ResultCode))?.check_id;
  const read = useRead(async () => (newest === undefined ? undefined : readExtended(newest)), [], [newest]);
  const ports = read.data === undefined ? [] : portsOf(read.data);
  if (ports.length === 0) return <ReadState read={read} rows={0} />;
  return (
    <section aria-label={say.title(ports.length)} class="section">
      <PortPicture ports={ports} />
    </section>
  );
}

function PortPicture({ ports }: { readonly ports: readonly Port[] }) {
  const [pointed, setPointed] = useState<string>();
  const { up, unmet, other } = portCounts(ports);
  const shown = ports.find(({ name }) => name === pointed) ?? ports.find(({ isUnmet }) => isUnmet);
  return (
    <>
      <div class={css['head']}>
        <h2>{say.title(ports.length)}</h2>
        <span class="hint">{say.hint}</span>
        <span class={css['counts']}>{say.counts(up, unmet, other)}</span>
      </div>
      <ul class={css['ports']}>
        {ports.map((port) => (
          <li key={port.name}>
            <PortButton port={port} onPoint={setPointed} />
          </li>
        ))}
      </ul>
      <p class={css['pointed']}>{shown === undefined ? '\u00a0' : portWords(shown)}</p>
      <details>
        <summary>{say.table(ports.length)}</summary>
        <PortTable ports={ports} />
      </details>
    </>
  );
}

function iconOf({ isUnmet, status }: Port): IconName {
  if (isUnmet) return 'Down';
  return status === 'Up' || status === 'Dormant' ? 'Up' : 'Paused';
}

/** `ge-0/0/17 “uplink hall 2”: Up, in 41 Mbit/s, out 3.1 Mbit/s, 4 % of 1 Gbit/s` */
function portWords({ name, alias, status, inBits, outBits, utilisation, speed }: Port): string {
  const rates =
    inBits === null && outBits === null
      ? say.noRate
      : say.rates(amount(inBits, 'bit/s'), amount(outBits, 'bit/s'));
  const used = utilisation === null ? [] : [say.used(percentOf(utilisation), amount(speed, 'bit/s'))];
  return `${say.named(name, alias)}: ${[status, rates, ...used].join(', ')}`;
}

const percentOf = (utilisation: number) => Math.round(utilisation * 100);

/** The charts of a port in the values below. */
function showCharts({ name }: Port) {
  go(addressWith({ values: labelList([portLabels.in(name), portLabels.out(name)]) }), { replace: true });
}

function PortButton({ port, onPoint }: { readonly port: Port; readonly onPoint: (name?: string) => void }) {
  const { name, isUnmet, utilisation } = port;
  const icon = iconOf(port);
  const isBusy = utilisation !== null && utilisation > 0.8;
  const look = isUnmet ? css['unmet'] : isBusy ? css['full'] : icon === 'Up' ? '' : css['shut'];
  return (
    <button
      type="button"
      class={`${css['port']} ${look}`}
      aria-label={portWords(port)}
      onClick={() => showCharts(port)}
      onPointerEnter={() => onPoint(name)}
      onPointerLeave={() => onPoint()}
      onFocus={() => onPoint(name)}
      onBlur={() => onPoint()}
    >
      {/* The Content-Security-Policy allows no style attribute. */}
      <svg class={css['fill']} viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
        <rect
          class={isBusy ? css['busy'] : css['used']}
          x="0"
          width="10"
          y={100 - 100 * (utilisation ?? 0)}
          height={100 * (utilisation ?? 0)}
        />
      </svg>
      {isUnmet && <Icon name="Down" />}
      <span class={css['number']}>{shortName(name)}</span>
    </button>
  );
}

function PortTable({ ports }: { readonly ports: readonly Port[] }) {
  const { head } = say;
  return (
    <ScrollSection label={say.table(ports.length)} class={css['table'] ?? 'scroll'}>
      <table>
        <thead>
          <tr>
            {[head.name, head.alias, head.status].map((words) => (
              <th key={words} scope="col">
                {words}
              </th>
            ))}
            {[head.in, head.out, head.utilisation, head.errors].map((words) => (
              <th key={words} scope="col" class={css['amount']}>
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ports.map((port) => {
            const { name, alias, status, inBits, outBits, utilisation, errors } = port;
            return (
              <tr key={name}>
                <th scope="row">
                  <Icon name={iconOf(port)} /> <bdi>{name}</bdi>
                </th>
                <td>
                  <bdi>{alias}</bdi>
                </td>
                <td>{status}</td>
                <td class={css['amount']}>{amount(inBits, 'bit/s')}</td>
                <td class={css['amount']}>{amount(outBits, 'bit/s')}</td>
                <td class={css['amount']}>
                  {amount(utilisation === null ? null : percentOf(utilisation), '%')}
                </td>
                <td class={css['amount']}>{amount(errors, '/s')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollSection>
  );
}
