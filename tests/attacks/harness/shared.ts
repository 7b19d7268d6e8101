import { beforeAll } from 'vitest';
import { useScenes } from './scenes.ts';
import { addManyDevices } from './unread-attacks.ts';

/**
 * One system for all scenes of a run, because a start and a measurement without an attack take half a minute. The
 * attacking account has many devices.
 */
export const scenes = useScenes();
beforeAll(() => addManyDevices(scenes.ground));
