import type { Schemas } from '@vantage/client';

/** An anchor as it is typed. */
export interface AnchorDraft {
  readonly name: string;
  readonly target: string;
  /** Comma-separated. */
  readonly networks: string;
}

/** The settings of a Location as they are typed. */
export interface LocationDraft {
  readonly name: string;
  readonly isPublicOnly: boolean;
  /** '': the account's. */
  readonly nscheduleId: string;
  readonly externalKey: string;
  readonly source: string;
  readonly anchors: readonly AnchorDraft[];
}

type Settings = Pick<
  Schemas['Location'],
  'Name' | 'PublicTargetsOnly' | 'nschedule_id' | 'ExternalKey' | 'Source' | 'Anchors'
>;

/** The draft of a stored Location. */
export function locationDraft(location: Settings): LocationDraft {
  return {
    name: location.Name,
    isPublicOnly: location.PublicTargetsOnly,
    nscheduleId: location.nschedule_id ?? '',
    externalKey: location.ExternalKey ?? '',
    source: location.Source ?? '',
    anchors: location.Anchors.map(({ Name, Target, Networks }) => ({
      name: Name,
      target: Target,
      networks: Networks.join(', '),
    })),
  };
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** The body that stores a draft. */
export function locationBody(draft: LocationDraft): Settings {
  return {
    Name: draft.name,
    PublicTargetsOnly: draft.isPublicOnly,
    nschedule_id: orNull(draft.nscheduleId),
    ExternalKey: orNull(draft.externalKey),
    Source: orNull(draft.source),
    Anchors: draft.anchors.map(({ name, target, networks }) => ({
      Name: name.trim(),
      Target: target.trim(),
      Networks: networks.split(/[\s,]+/).filter((network) => network !== ''),
    })),
  };
}
