import { shownPath } from '../store/address.ts';
import { planTexts } from '../texts/plan-texts.ts';
import css from './plan-tabs.module.css';

const tabs = [
  ['schedules', '/schedules'],
  ['maintenance', '/schedules/maintenance'],
  ['contacts', '/schedules/contacts'],
] as const;

/** The links between the screens about schedules, maintenance and contacts. */
export function PlanTabs() {
  const { value: path } = shownPath;
  const here = tabs.findLast(([, target]) => path === target || path.startsWith(`${target}/`));
  return (
    <nav class={css['tabs']} aria-label={planTexts.label}>
      {tabs.map((tab) => (
        <a key={tab[0]} href={tab[1]} aria-current={tab === here ? 'page' : undefined}>
          {planTexts.tabs[tab[0]]}
        </a>
      ))}
    </nav>
  );
}
