// Runs all scenes, one after the other, on one running system. `-t <text>` runs the scenes whose titles contain the
// text.
import './hostile-agents.scenes.ts';
import './strangers.scenes.ts';
import './status-pages.scenes.ts';
import './hostile-keys.scenes.ts';
import './hostile-history.scenes.ts';
import './hostile-scopes.scenes.ts';
import './hostile-scripts.scenes.ts';
import './hostile-targets.scenes.ts';
import './stored-values.scenes.ts';
import './unread-answers.scenes.ts';
import './fuzz-messages.scenes.ts';
import './slow-connections.scenes.ts';
import './remembered-texts.scenes.ts';
