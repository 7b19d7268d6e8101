// First, because base.css declares the order of the layers.
import './style/tokens.css';
import './style/base.css';
import './style/classes.css';
import './style/print.css';

import { render } from 'preact';
import { PageRoot } from './app.tsx';
import { watchPrefix } from './parts/keys.ts';
import { showTheme } from './parts/theme.ts';
import { watchAddress } from './store/address.ts';
import { runClock } from './store/clock.ts';
import { watchOtherTabs } from './store/credential.ts';

showTheme();
runClock();
watchAddress();
watchOtherTabs();
watchPrefix();
const page = document.getElementById('page');
if (page !== null) render(<PageRoot />, page);
