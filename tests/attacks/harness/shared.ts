import { beforeAll } from 'vitest';
import { useScenes } from './scenes.ts';
import { addManyDevices } from './unread-attacks.ts';

/** The system of the attacks of a file. */
export const scenes = useScenes();

/** The lists that the hostile account reads are long. */
beforeAll(() => addManyDevices(scenes.fixture));
