import { computed } from '@preact/signals';
import { matchRank, queryWords } from '../../model/palette-match.ts';
import { tagTree, visibleBranches } from '../../model/tag-tree.ts';
import { menuScreens } from '../../parts/account-menu.tsx';
import { pathOf } from '../../parts/page-frame.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { chooseTheme } from '../../parts/theme.ts';
import { locations, rows } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { mayAdminister, mayWrite, signOut } from '../../store/credential.ts';
import { tell } from '../../store/told.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { actsOn, deviceChoice, devicesFor, verbChoices } from './device-choices.ts';
import type { PaletteChoice } from './palette-choice.ts';
import { paletteTexts as say } from './palette-texts.ts';
import type { FoundThing } from './read-things.ts';

const maxOfGroup = 5;
const maxCommands = 9;
const branches = computed(() => visibleBranches(tagTree(rows.value), () => true));

const screen = (key: string, words: string, path: string): PaletteChoice => ({
  key,
  group: 'screens',
  words: say.go(words),
  icon: 'Other',
  run: () => go(path),
});
const action = (key: string, words: string, run: () => void, shortcut?: string): PaletteChoice => ({
  key,
  group: 'actions',
  words,
  icon: 'Other',
  shortcut,
  run,
});

const copyAddress = () => {
  navigator.clipboard.writeText(location.href).then(
    () => tell(say.copied),
    (problem: unknown) => tell(problemWords(problem)),
  );
};

/** The screens and the actions that do not need a device. */
function commands(): readonly PaletteChoice[] {
  return [
    ...(mayWrite.value
      ? [
          action('add', deviceWords.add, () => go('/devices/new'), 'c'),
          action('many', deviceWords.addMany, () => go('/devices/new/many')),
        ]
      : []),
    ...(['overview', 'devices', 'alerts', 'locations', 'schedules', 'reports'] as const).map((name) =>
      screen(name, frameTexts.screens[name], pathOf(name)),
    ),
    screen('maintenance', say.maintenance, '/schedules/maintenance'),
    screen('contacts', say.contacts, '/schedules/contacts'),
    ...menuScreens(mayAdminister.value).map(({ path, words }) => screen(path, words, path)),
    action('wall', say.wall, () => go('/wall')),
    ...(['dark', 'light', 'system'] as const).map((theme) =>
      action(theme, say.theme[theme], () => chooseTheme(theme)),
    ),
    action('copy', say.copyAddress, copyAddress),
    action('out', frameTexts.signOut, () => void signOut()),
  ];
}

/** The choices whose words match, the best first. */
function matching(choices: readonly PaletteChoice[], words: readonly string[], most: number) {
  return choices
    .flatMap((choice) => {
      const rank = matchRank(choice.words, words) ?? matchRank(`${choice.words} ${choice.more ?? ''}`, words);
      return rank === undefined ? [] : [{ choice, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ choice }) => choice);
}

const tagChoices = (): readonly PaletteChoice[] =>
  branches.value.map(({ branch: { path, worst, total, down, branches: below } }) => {
    const tag = below.length > 0 ? `${path}/*` : path;
    const filter = `tag:${/\s/.test(tag) ? `"${tag}"` : tag}`;
    return {
      key: `tag-${path}`,
      group: 'tags',
      words: path,
      more: say.ofTag(total, down),
      icon: worst,
      run: () => go(`/devices?q=${encodeURIComponent(filter)}`),
    };
  });

const locationChoices = (): readonly PaletteChoice[] =>
  locations.value.map(({ location_id, Name, Online }) => ({
    key: location_id,
    group: 'locations',
    words: Name,
    icon: Online ? 'Up' : 'Offline',
    run: () => go('/locations'),
  }));

/** The lines for a query, in groups. `chosenDevice` is the device whose line is chosen. */
export function choicesFor(
  query: string,
  facts: {
    readonly things: readonly FoundThing[];
    readonly byUrl: ReadonlySet<string>;
    readonly chosenDevice: string | undefined;
    readonly askMaintenance: (id: string) => void;
  },
): readonly PaletteChoice[] {
  const words = queryWords(query);
  if (words.length === 0)
    return [
      ...commands(),
      ...devicesFor([], new Set())
        .filter(({ state }) => state !== 'Up')
        .map(deviceChoice),
    ];
  const found = devicesFor(words, facts.byUrl);
  const chosen = found.find(({ id }) => id === facts.chosenDevice) ?? found[0];
  const things = facts.things.map(({ path, ...thing }) => ({
    ...thing,
    icon: 'Other' as const,
    run: () => go(path),
  }));
  return [
    ...verbChoices(words, facts.askMaintenance),
    ...found.map(deviceChoice),
    ...(chosen === undefined ? [] : actsOn(chosen, facts.askMaintenance)),
    ...matching(tagChoices(), words, maxOfGroup),
    ...matching(locationChoices(), words, maxOfGroup),
    ...(['contacts', 'schedules', 'pages', 'people'] as const).flatMap((group) =>
      matching(
        things.filter((thing) => thing.group === group),
        words,
        maxOfGroup,
      ),
    ),
    ...matching(commands(), words, maxCommands),
  ].filter(({ key }, at, all) => all.findIndex((other) => other.key === key) === at);
}
