// From what fails to what is recorded and sent, all on one system whose time goes ten times as fast. They run in this
// order.
import './outages/alerts.ts';
import './outages/anchors.ts';
import './outages/second-agent.ts';
