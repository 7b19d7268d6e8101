import { beforeAll } from 'vitest';
import { useScenes } from './scenes.ts';
import { addManyDevices } from './unread-attacks.ts';

/** One system for all scenes of a run, because a start and a measurement without an attack take half a minute. */
export const scenes = useScenes();

/** The lists that the hostile account reads are long. */
beforeAll(() => addManyDevices(scenes.fixture));
